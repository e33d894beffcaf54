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
