#pragma once

#include <fmt/core.h>
#include <string>
#include <string_view>
#include <utility>

#include <boost/system/result.hpp>

namespace glimpse {

/// What kind of failure an Error is, for those who must act on it (an HTTP status, an exit code).
/// The numbers are not stored anywhere.
enum class ErrorCode {
  kInvalidInput,   ///< an example, request or value that breaks its constraint
  kInvalidOption,  ///< configuration: unknown, contradictory or out of range
  kTooLarge,       ///< a limit was passed
  kNotFound,       ///< something named is not there
  kCorrupt,        ///< bytes that should have verified do not
  kMismatch,       ///< sound, but belongs to another dimension, algorithm or version
  kUnavailable,    ///< cannot be done now
  kSystem,         ///< the operating system refused
};

/// An expected failure. `message` says what, where, the value and the constraint, in one line without a full
/// stop.
struct Error {
  ErrorCode code = ErrorCode::kInvalidInput;
  std::string message;
};

/// A value or an Error. Thread-safety: that of a value type.
template <class T>
using Result = boost::system::result<T, Error>;

/// Success or an Error.
using Status = Result<void>;

/// Makes an Error from a format string: `return failure(ErrorCode::kNotFound, "no file '{}'", name);`
template <class... Args>
[[nodiscard]] Error failure(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
  return Error{code, fmt::format(format, std::forward<Args>(args)...)};
}

/// kInvalidOption, "--option value: constraint".
[[nodiscard]] Error invalid_option(std::string_view option, std::string_view value,
                                   std::string_view constraint);

/// Called by Result<T>::value() on an Error: asking for a value that is not there is a bug, so it throws
/// std::logic_error.
[[noreturn]] void throw_exception_from_error(const Error& error, const boost::source_location& where);

}  // namespace glimpse

/// `GLIMPSE_TRY(check(x));` ends the function with the Error of a Status or Result, if it holds one. The
/// function returns a Status or a Result.
#define GLIMPSE_TRY(...)                                                                  \
  do {                                                                                    \
    if (auto glimpse_tried = (__VA_ARGS__); !glimpse_tried) return glimpse_tried.error(); \
  } while (false)

/// `GLIMPSE_TRY_ASSIGN(auto x, read(y));` does the same, or gives the value of the Result to `x`, which may
/// also be a variable that exists.
#define GLIMPSE_TRY_ASSIGN(variable, ...) \
  GLIMPSE_TRY_ASSIGN_FROM(GLIMPSE_TRIED_AT(__COUNTER__), variable, __VA_ARGS__)
#define GLIMPSE_TRY_ASSIGN_FROM(tried, variable, ...) \
  auto tried = (__VA_ARGS__);                         \
  if (!tried) return tried.error();                   \
  variable = *std::move(tried)  // NOLINT(bugprone-macro-parentheses)
#define GLIMPSE_TRIED_AT(count) GLIMPSE_TRIED_JOIN(glimpse_tried_, count)
#define GLIMPSE_TRIED_JOIN(name, count) name##count
