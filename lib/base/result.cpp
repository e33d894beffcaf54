#include "base/result.h"

#include <stdexcept>

namespace glimpse {

Error invalid_option(std::string_view option, std::string_view value, std::string_view constraint) {
  return failure(ErrorCode::kInvalidOption, "--{} {}: {}", option, value, constraint);
}

void throw_exception_from_error(const Error& error, const boost::source_location& where) {
  throw std::logic_error(fmt::format("{} ({}:{})", error.message, where.file_name(), where.line()));
}

}  // namespace glimpse
