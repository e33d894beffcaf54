#include "daemon/http/http_head_scanner.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "data/text/text.h"

namespace glimpse {

namespace {

constexpr char kHandshake = 0x16;  // what TLS begins with

bool is_control(char c) { return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f'; }

// In the letters that the standard gives it: they are no others' choice.
bool is_version(std::string_view word) {
  constexpr std::string_view kName = "HTTP/";
  return word.size() == kName.size() + 3 && word.starts_with(kName) && is_digit(word[5]) && word[6] == '.' &&
         is_digit(word[7]);
}

}  // namespace

HeadScanner::State HeadScanner::scan(std::string_view bytes) {
  while (at_ < bytes.size()) {
    const char c = bytes[at_++];
    if (const State state = take(c, bytes); state != State::kUnfinished) return state;
    last_ = c;
  }
  return State::kUnfinished;
}

HeadScanner::State HeadScanner::take(char c, std::string_view bytes) {
  if (at_ == 1 && c == kHandshake) {
    fault_ = {
        400, "bad_request",
        "not an HTTP request: it begins as TLS does, but this door speaks plain HTTP; say http://, or give "
        "glimpsed --tls-cert and --tls-key"};
    return State::kWrong;
  }
  if (last_ == '\r' && c != '\n') return wrong("ends with CR alone; CR LF must stand there");
  if (c == '\n' && last_ != '\r') return wrong("ends with LF alone; CR LF must stand there");
  if (c == '\n') {
    const std::string_view line = bytes.substr(line_, at_ - 2 - line_);
    line_ = at_;
    return take_line(line);
  }
  if (is_control(c) && c != '\r')
    return wrong(fmt::format("has the control character 0x{:02x}", static_cast<unsigned char>(c)));
  return State::kUnfinished;
}

HeadScanner::State HeadScanner::take_line(std::string_view line) {
  if (line.empty() && lines_ == 0) {
    begin_ = line_;
    return State::kUnfinished;
  }
  if (line.empty()) {
    end_ = line_;
    return State::kWhole;
  }
  if (lines_ == 0) return take_first_line(line);
  if (line.front() == ' ' || line.front() == '\t')
    return wrong("begins with a blank; a header must stand in one line");
  ++lines_;
  return State::kUnfinished;
}

HeadScanner::State HeadScanner::take_first_line(std::string_view line) {
  const std::size_t blank = line.rfind(' ');
  const std::string_view version = blank == std::string_view::npos ? "" : line.substr(blank + 1);
  if (!is_version(version) || std::count(line.begin(), line.end(), ' ') != 2)
    return wrong("must be METHOD TARGET HTTP/1.1");  // what it is may be a secret that went astray
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    fault_ = {505, "http_version_not_supported",
              fmt::format("{} is not spoken here: HTTP/1.1 and HTTP/1.0 are", version)};
    return State::kWrong;
  }
  ++lines_;
  return State::kUnfinished;
}

HeadScanner::State HeadScanner::wrong(std::string message) {
  fault_ = {400, "bad_request",
            fmt::format("not an HTTP request: line {} of its head {}", lines_ + 1, std::move(message))};
  return State::kWrong;
}

}  // namespace glimpse
