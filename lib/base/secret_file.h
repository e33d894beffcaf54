#pragma once

#include <string>

#include "base/result.h"

namespace glimpse {

/// Whether the file at `path`, which `--option` names, may hold a secret: a regular file that nobody but its
/// owner can change, and nobody but owner and group can read. Errors (kInvalidOption) name option, file, mode
/// and constraint. Symbolic links are followed. Thread-safe.
Status check_secret_file(const char* option, const std::string& path);

}  // namespace glimpse
