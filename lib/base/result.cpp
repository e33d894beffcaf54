#include "base/result.h"

#include <stdexcept>

namespace glimpse {

void throw_exception_from_error(const Error& error, const boost::source_location& where) {
  throw std::logic_error(fmt::format("{} ({}:{})", error.message, where.file_name(), where.line()));
}

}  // namespace glimpse
