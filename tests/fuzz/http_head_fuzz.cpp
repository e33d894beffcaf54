// What begins a request: its head in growing prefixes, as a socket gives it, then through Beast's parser and
// the rules. The same bytes are the first line of a stream.

#include <algorithm>
#include <string>

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

#include "daemon/http/http_head_rules.h"
#include "daemon/ingest/first_line.h"
#include "fuzzing.h"
#include "shown.h"

namespace glimpse::http_head_fuzz {

namespace http = boost::beast::http;

using State = HeadScanner::State;
using Verdict = FirstLine::Verdict;

void require_sound(const HttpFault& fault) {
  require(fault.status >= 400 && fault.status < 600 && !fault.code.empty() && !fault.message.empty());
  require_shown(fault.message);
}

// However a head comes in pieces, what is found in it is the same.
HeadScanner scan_head(std::string_view bytes) {
  HeadScanner whole;
  const State state = whole.scan(bytes);
  HeadScanner pieces;
  State so_far = State::kUnfinished;
  for (std::size_t size = 0; size <= bytes.size() && so_far == State::kUnfinished; ++size) {
    const Exact prefix(bytes.substr(0, size));
    so_far = pieces.scan(prefix.view());
  }
  require(state == so_far && whole.fault().message == pieces.fault().message);
  if (state == State::kWrong) require_sound(whole.fault());
  if (state != State::kWhole) return {};
  require(whole.begin() == pieces.begin() && whole.length() == pieces.length());
  return whole;
}

// A head that passes leaves the end of the body to one header at most, and Beast reads it so.
void judge(std::string_view bytes) {
  http::request_parser<http::empty_body> parser;
  boost::system::error_code error;
  const Exact head(bytes);
  const std::size_t taken = parser.put(boost::asio::buffer(head.view()), error);
  if (error) return;
  require(taken == bytes.size() && parser.is_header_done());
  const auto& message = parser.get();
  if (const auto fault = check_head(message)) return require_sound(*fault);
  const std::size_t codings = message.count(http::field::transfer_encoding);
  const std::size_t lengths = message.count(http::field::content_length);
  require(codings + lengths <= 1 && parser.chunked() == (codings == 1));
  require(parser.content_length().has_value() == (lengths == 1));
  require(message.version() == 10 || message.count(http::field::host) == 1);
  HttpTarget target;
  if (const auto fault = read_target(message, false, target)) return require_sound(*fault);
  require(target.path.starts_with('/') || target.path == "*");
}

Verdict first_line(std::string_view bytes, bool lines) {
  const Verdict whole = FirstLine(lines).add(bytes);
  FirstLine pieces(lines);
  for (std::size_t i = 0; i < bytes.size(); ++i) pieces.add(bytes.substr(i, 1));
  require(pieces.verdict() == whole);
  return whole;
}

// Of text, rows are judged as lines are.
void look_at_first_line(std::string_view bytes) {
  const Verdict of_rows = first_line(bytes, false);
  const Verdict of_lines = first_line(bytes, true);
  require(of_rows == Verdict::kRecords || of_rows == of_lines);
}

const Fuzzer fuzzer("http_head", [](Input input) {
  const std::string_view bytes = input.rest();
  look_at_first_line(bytes);
  const HeadScanner scanner = scan_head(bytes);
  if (scanner.length() == 0) return;
  // What HTTP/1.1 or 1.0 begins with teaches a stream door nothing.
  require(FirstLine(true).add(bytes) == Verdict::kHttp);
  judge(bytes.substr(scanner.begin(), scanner.length()));
});

}  // namespace glimpse::http_head_fuzz
