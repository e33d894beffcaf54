#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace glimpse {

/// What a scan saw, and how long it took.
struct Scan {
  std::size_t lines = 0;
  std::size_t bytes = 0;
  std::size_t delimiters = 0;
  double seconds = 0;  ///< of finding lines and fields alone: not of reading
};

/// Does the least that reading CSV needs: finds the lines of the file at `path` and marks the fields of each
/// (TextKernel::mark_fields of this processor's kernel). It reads in blocks of the size that glimpsed reads.
/// Each block has just been read, so it is as near as a reading thread's copy can be. On one thread. Errors:
/// kSystem where the file cannot be read, kTooLarge where a line has more than 16 MiB.
Result<Scan> scan_csv(const std::string& path);

}  // namespace glimpse
