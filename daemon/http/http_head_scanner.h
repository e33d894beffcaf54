#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

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

}  // namespace glimpse
