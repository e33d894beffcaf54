#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>

namespace glimpse {

/// Why a request is answered with an error, after which its connection is closed.
struct HttpFault {
  unsigned status = 400;
  std::string code;  ///< a short snake_case word
  std::string message;
};

/// Finds the end of a request's head, its first line and its headers, in bytes that come in any pieces. It
/// refuses heads that RFC 9112 lets a server refuse and that Beast's parser would misread or wait on in vain.
/// These are a line that ends with CR or LF alone, control characters, a header that goes on in the next
/// line, and a first line that is none of HTTP/1.1 or 1.0. Blank lines before the first are passed over, as
/// the RFC asks.
/// What the headers say is Beast's to read and http_head_rules.h's to judge. Every byte is looked at once.
/// Thread-safety: none.
class HeadScanner {
 public:
  enum class State : std::uint8_t { kUnfinished, kWhole, kWrong };

  /// `bytes`: everything that came of the request so far, and perhaps of what follows it.
  State scan(std::string_view bytes);
  /// kWhole: where the first line begins, and how long the head is from there on, its empty line included.
  std::size_t begin() const { return begin_; }
  std::size_t length() const { return end_ - begin_; }
  /// kWrong: why.
  const HttpFault& fault() const { return fault_; }

 private:
  State take(char c, std::string_view bytes);
  State take_line(std::string_view line);
  State take_first_line(std::string_view line);
  State wrong(std::string message);

  std::size_t at_ = 0;     // bytes that were looked at
  std::size_t line_ = 0;   // where the line begins in which they end
  std::size_t lines_ = 0;  // that were whole, without the blank ones before the first
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  char last_ = '\0';
  HttpFault fault_;
};

/// What the target of a request names.
struct HttpTarget {
  std::string path;   ///< "*" where OPTIONS asks for no path
  std::string query;  ///< what follows '?', still encoded
  /// The host, perhaps with a port, where the target has one: the Host header does not count then.
  std::optional<std::string> host;
};

/// What RFC 9112 demands of a head and Beast's parser does not ask for. The end of the body must be certain:
/// no Transfer-Encoding other than chunked alone, none in HTTP/1.0, none beside a Content-Length, and a
/// Content-Length that is one number. HTTP/1.1 needs one Host header that can be one, 1.0 has at most one.
/// There is at most one Authorization. 415 for a coded body and for a form of several parts. Pure;
/// O(headers).
std::optional<HttpFault> check_head(const boost::beast::http::request_header<>& head);

/// Whether any of its Connection headers says close: Beast looks at the first alone.
bool asks_to_close(const boost::beast::http::request_header<>& head);

/// Reads the target in the forms that RFC 9112 knows: a path, http://HOST/PATH and, of OPTIONS, '*'. A whole
/// URL must name this machine by localhost or a loopback address, or the host that the Host header names as
/// well: otherwise 421. https: where the connection is not `secure` is 421 as well. 501 for CONNECT.
std::optional<HttpFault> read_target(const boost::beast::http::request_header<>& head, bool secure,
                                     HttpTarget& target);

/// Without its port; an IPv6 address without its brackets.
std::string_view without_port(std::string_view host);

}  // namespace glimpse
