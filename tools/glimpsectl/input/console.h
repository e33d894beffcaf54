#pragma once

#include <cctype>
#include <cstddef>
#include <fmt/format.h>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glimpse::ctl {

/// How glimpsectl ends.
enum class ExitCode : int {
  kOk = 0,
  kRefused = 1,      ///< the server answered with an error, or a file is bad or cannot be read or written
  kUsage = 2,        ///< the command line
  kUnreachable = 3,  ///< no answer
};

/// kInvalidOption is the command line's, kUnavailable the connection's, all else a refusal.
ExitCode exit_code_of(const Error& error);

/// Where a command reads and writes. The streams belong to the code that made it.
struct Console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool has_utf8 = false;  ///< the locale has
  /// How many columns the terminal has now; 0: that is not known. nullptr: it never is.
  std::size_t (*columns)() = nullptr;
  bool err_is_terminal = false;
};

/// `text` with a newline at its end, as files and terminals want it.
std::string with_final_newline(std::string text);

/// Writes `bytes` to the file `path`, atomically where it is a regular one or new, or, when `path` is empty
/// or "-", to console.out (escaped on a terminal). Errors: kSystem; the previous file is then untouched.
Status write_output(const std::string& path, std::string_view bytes, Console& console);

/// `text` as a value in the query of a path.
inline std::string as_query_value(std::string_view text) {
  std::string value;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-' || c == '_' || c == '.')
      value += c;
    else
      value += fmt::format("%{:02X}", byte);
  }
  return value;
}

}  // namespace glimpse::ctl
