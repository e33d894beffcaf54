#pragma once

#include <string>

#include "base/result.h"

namespace glimpse {

/// The whole file `path`, decompressed if gzip wrote it, whatever its name. Errors (kNotFound, kSystem,
/// kCorrupt) name the path and the cause.
Result<std::string> read_maybe_gzip(const std::string& path);

}  // namespace glimpse
