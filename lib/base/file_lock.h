#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace glimpse {

/// A lock file that one process at a time holds, for as long as this lives. The system takes the lock back
/// when the process ends, however it ends, so there is never a stale one; the file itself stays. Who removes
/// or replaces the file takes the lock from its holder, who can notice. Thread-safety: that of a value.
class FileLock {
 public:
  /// Locks the folder itself, which a person who removes the file in it leaves alone. Holds nothing where
  /// the file system has no such locks. Errors: kUnavailable when another holds it.
  static Result<FileLock> take_folder(const std::string& path);

  /// Makes `path` where it is missing. Errors: kUnavailable when another holds it; kSystem, also when
  /// something is there that is no regular file: that is not opened.
  static Result<FileLock> take(const std::string& path);
  ~FileLock();
  FileLock(FileLock&& other) noexcept
      : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

  /// Whether the file at the path is still the one that is locked, by device and inode. Two system calls.
  bool is_current() const;

  /// Where it is not: locks the file that is there now, or a new one. Errors: those of take(); the old file
  /// stays locked then.
  Status renew();

 private:
  FileLock(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_;
};

}  // namespace glimpse
