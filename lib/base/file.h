#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace glimpse {

/// A file being written. Closing is the destructor's; it reports nothing, so call sync() first where bytes
/// must last.
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  /// Writes all of `bytes` at the end. After an Error the file's content is unknown.
  virtual Status append(std::span<const std::byte> bytes) = 0;
  /// fsync: what was appended survives a power failure once this succeeded.
  virtual Status sync() = 0;
};

/// The seam through which durable state reaches the disk, so that tests can let the n-th write, fsync or
/// rename fail. Errors have code kSystem (kNotFound when there is no such file) and name the operation, the
/// path and the cause. Thread-safety: PosixFileSystem may be used from several threads.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  /// Creates `path` (mode 0640), or empties it.
  virtual Result<std::unique_ptr<WritableFile>> create(const std::string& path) = 0;
  /// The whole file.
  virtual Result<std::vector<std::byte>> read(const std::string& path) = 0;
  /// Replaces `to` atomically.
  virtual Status rename(const std::string& from, const std::string& to) = 0;
  virtual Status remove(const std::string& path) = 0;
  /// fsync of a folder: renames and removals in it survive a power failure.
  virtual Status sync_directory(const std::string& path) = 0;
  /// Names (not paths) in a folder, sorted by byte; without "." and "..".
  virtual Result<std::vector<std::string>> list(const std::string& path) = 0;
  /// Makes the folder and its parents where missing.
  virtual Status create_directories(const std::string& path) = 0;
};

/// The real one.
class PosixFileSystem final : public FileSystem {
 public:
  Result<std::unique_ptr<WritableFile>> create(const std::string& path) override;
  Result<std::vector<std::byte>> read(const std::string& path) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;
  Status sync_directory(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& path) override;
  Status create_directories(const std::string& path) override;
};

}  // namespace glimpse
