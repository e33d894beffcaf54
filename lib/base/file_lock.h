#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace glimpse {

/// A lock file that one process at a time holds, for as long as this lives. The system takes the lock back
/// when the process ends, however it ends, so there is never a stale one; the file itself stays.
/// Thread-safety: that of a value.
class FileLock {
 public:
  /// Makes `path` where it is missing. Errors: kUnavailable when another holds it; kSystem.
  static Result<FileLock> take(const std::string& path);
  ~FileLock();
  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace glimpse
