#pragma once

#include "base/file.h"
#include "base/result.h"
#include "daemon/config/command_line.h"

namespace glimpse {

/// Writes to standard output what a sample of the first of the inputs that `configuration` names shows, and
/// what learning would do with its columns, and learns nothing. FILE of --schema is written where it is not
/// there, and says how the input is read where it is. Errors: those of opening and reading it; kInvalidInput
/// where it is no text.
Status print_as_read(const Configuration& configuration, FileSystem& files, DryRun what);

}  // namespace glimpse
