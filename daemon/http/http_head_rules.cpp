#include "daemon/http/http_head_rules.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include <boost/asio/ip/address.hpp>
#include <boost/beast/core/string.hpp>

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

namespace beast = boost::beast;
namespace http = boost::beast::http;
using Head = http::request_header<>;

namespace {

HttpFault bad(std::string message) { return {400, "bad_request", std::move(message)}; }

std::string_view plain(beast::string_view text) { return {text.data(), text.size()}; }

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Of what RFC 3986 lets a name consist, besides escapes.
bool is_of_name(char c) {
  return is_letter(c) || is_digit(c) || std::string_view("-._~!$&'()*+,;=").find(c) != std::string_view::npos;
}

bool is_name(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_of_name(text[i])) continue;
    if (text[i] != '%' || i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
    i += 2;
  }
  return true;
}

bool is_six(std::string_view text) {
  boost::system::error_code error;
  boost::asio::ip::make_address_v6(std::string(text), error);
  return !error && text.find('%') == std::string_view::npos;
}

// Whether it can be a host, perhaps with a port; an empty one can.
bool is_host(std::string_view text) {
  const std::size_t end = text.starts_with('[') ? text.find(']') : text.find(':');
  if (text.starts_with('[') && (end == std::string_view::npos || !is_six(text.substr(1, end - 1))))
    return false;
  if (!text.starts_with('[') && !is_name(text.substr(0, end))) return false;
  if (end == std::string_view::npos) return true;
  const std::string_view port = text.substr(text[end] == ']' ? end + 1 : end);
  return port.empty() || (port.front() == ':' && std::all_of(port.begin() + 1, port.end(), is_digit));
}

bool is_loopback(std::string_view host) {
  if (beast::iequals(host, "localhost")) return true;
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(std::string(host), error);
  return !error && address.is_loopback();
}

// Every Transfer-Encoding must be read as one list, whose last word says how the body ends.
std::optional<HttpFault> check_coding(const Head& head) {
  std::string codings;
  for (const auto& field : head)
    if (field.name() == http::field::transfer_encoding) codings += ", " + std::string(plain(field.value()));
  codings.erase(0, 2);
  if (head.version() < 11)
    return bad("Transfer-Encoding is no header of HTTP/1.0: where the body ends cannot be told");
  if (head.count(http::field::content_length) > 0)
    return bad("Transfer-Encoding and Content-Length must not come together");
  if (beast::iequals(codings, "chunked")) return std::nullopt;
  constexpr std::string_view kLast = ", chunked";
  const std::size_t before = codings.size() > kLast.size() ? codings.size() - kLast.size() : 0;
  const bool others_are_before =
      before > 0 && beast::iequals(codings.substr(before), kLast) &&
      !http::token_list(std::string_view(codings).substr(0, before)).exists("chunked");
  if (others_are_before)
    return HttpFault{
        501, "not_implemented",
        "Transfer-Encoding " + in_quotes(codings) + ": no other coding than chunked is known here"};
  return bad("Transfer-Encoding " + in_quotes(codings) + " must be chunked, once and alone");
}

std::optional<HttpFault> check_length(const Head& head) {
  const auto count = head.count(http::field::content_length);
  if (count == 0) return std::nullopt;
  const std::string_view value = plain(head[http::field::content_length]);
  if (count > 1) return bad("Content-Length must come once");
  if (value.empty() || !std::all_of(value.begin(), value.end(), is_digit))
    return bad("Content-Length " + in_quotes(value) + " must be one whole number");
  return std::nullopt;
}

// A coded body, or a form with the file within, would be read as if it were records.
std::optional<HttpFault> check_content(const Head& head) {
  const std::string_view type = plain(head[http::field::content_type]);
  if (beast::iequals(type.substr(0, type.find('/')), "multipart"))
    return HttpFault{415, "unsupported_type",
                     "the body is " + in_quotes(type.substr(0, type.find(';'))) +
                         ", a form (curl -F): send the file itself, with curl --data-binary @FILE"};
  for (const auto& field : head)
    if (field.name() == http::field::content_encoding && !beast::iequals(field.value(), "identity"))
      return HttpFault{
          415, "unsupported_coding",
          "Content-Encoding " + in_quotes(plain(field.value())) +
              ": send it without this header, in which bodies of gzip and zstd need not be named"};
  return std::nullopt;
}

std::optional<HttpFault> check_host(const Head& head) {
  const auto count = head.count(http::field::host);
  if (count == 0 && head.version() >= 11) return bad("a request of HTTP/1.1 must have a Host header");
  if (count > 1) return bad("Host must come once");
  const std::string_view host = plain(head[http::field::host]);
  if (!is_host(host))
    return bad("Host " + in_quotes(host) + " must be a name or an address, perhaps with a port");
  return std::nullopt;
}

std::optional<HttpFault> check_own(const Head& head, std::string_view host) {
  const std::string_view bare = without_port(host);
  const bool is_own =
      is_loopback(bare) || (head.count(http::field::host) > 0 &&
                            beast::iequals(bare, without_port(plain(head[http::field::host]))));
  if (is_own) return std::nullopt;
  return HttpFault{421, "misdirected_request",
                   "the target names " + in_quotes(host) +
                       ", which is not this server: neither localhost nor a "
                       "loopback address, nor what the Host header names"};
}

// http://HOST/PATH: what follows the scheme is left in `rest`.
std::optional<HttpFault> read_host(const Head& head, bool secure, std::string_view& rest,
                                   HttpTarget& target) {
  const std::size_t colon = rest.find("://");
  const std::string_view scheme = rest.substr(0, colon == std::string_view::npos ? 0 : colon);
  const bool is_https = beast::iequals(scheme, "https");
  if (!is_https && !beast::iequals(scheme, "http"))
    return bad("the target must be a path that begins with '/', or a whole URL of http");
  rest.remove_prefix(colon + 3);
  const std::string_view host = rest.substr(0, rest.find_first_of("/?"));
  if (without_port(host).empty() || !is_host(host))
    return bad("the target must name a host, perhaps with a port, and no user");
  if (is_https && !secure)
    return HttpFault{421, "misdirected_request",
                     "the target is a URL of https, and this connection is not TLS"};
  if (auto fault = check_own(head, host)) return fault;
  target.host = std::string(host);
  rest.remove_prefix(host.size());
  return std::nullopt;
}

}  // namespace

std::string_view without_port(std::string_view host) {
  if (!host.starts_with('[')) return host.substr(0, host.find(':'));
  const std::size_t end = host.find(']');
  return end == std::string_view::npos ? "" : host.substr(1, end - 1);
}

bool asks_to_close(const Head& head) {
  bool asks = false;
  for (const auto& field : head)
    if (field.name() == http::field::connection)
      asks = asks || http::token_list(field.value()).exists("close");
  return asks;
}

std::optional<HttpFault> check_head(const Head& head) {
  if (head.count(http::field::transfer_encoding) > 0)
    if (auto fault = check_coding(head)) return fault;
  if (auto fault = check_length(head)) return fault;
  if (auto fault = check_content(head)) return fault;
  // Others may look at the last.
  if (head.count(http::field::authorization) > 1) return bad("Authorization must come once");
  return check_host(head);
}

// What stands in a target may be a secret that went astray, so that messages do not show it.
std::optional<HttpFault> read_target(const Head& head, bool secure, HttpTarget& target) {
  std::string_view text = plain(head.target());
  const auto* const bad_byte =
      std::find_if(text.begin(), text.end(), [](char c) { return c <= ' ' || c > '~' || c == '#'; });
  if (bad_byte != text.end())
    return bad(fmt::format("the target's byte {} is 0x{:02x}, which must be written as %{:02X}",
                           bad_byte - text.begin() + 1, static_cast<unsigned char>(*bad_byte),
                           static_cast<unsigned char>(*bad_byte)));
  if (head.method() == http::verb::connect)
    return HttpFault{501, "not_implemented", "CONNECT is for proxies, and this is none"};
  if (text == "*" && head.method() == http::verb::options) {
    target.path = text;
    return std::nullopt;
  }
  if (!text.starts_with('/'))
    if (auto fault = read_host(head, secure, text, target)) return fault;
  const std::size_t question = text.find('?');
  target.path = text.substr(0, question);
  if (target.path.empty()) target.path = "/";
  if (question != std::string_view::npos) target.query = text.substr(question + 1);
  return std::nullopt;
}

}  // namespace glimpse
