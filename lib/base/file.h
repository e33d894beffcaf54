#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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

/// What a name in a folder stands for.
enum class FileKind : std::uint8_t { kRegular, kDirectory, kLink, kFifo, kSocket, kDevice };

/// "a FIFO", for messages.
const char* describe(FileKind kind);

/// A regular file that is open for reading. Errors as FileSystem.
class ReadableFile {
 public:
  virtual ~ReadableFile() = default;
  /// In bytes, when it was opened.
  virtual std::uint64_t size() const = 0;
  /// When it was last written to, in nanoseconds since 1970, as of then; 0: not known.
  virtual std::int64_t modified() const { return 0; }
  /// Fills `room` with the bytes from `begin` on. An Error (kCorrupt) when the file ends before.
  virtual Status read(std::uint64_t begin, std::span<std::byte> room) = 0;
};

/// Whether an Error of a FileSystem, or one whose message ends with such a one's, says that there is no room:
/// on the disk, in a quota, or below the size limit of files. It passes when somebody makes room.
bool is_full(const Error& error);

/// Whether a name may be that of a symbolic link.
enum class Links : std::uint8_t { kFollowed, kRefused };

/// The seam through which durable state reaches the disk, so that tests can let the n-th write, fsync or
/// rename fail. Errors have code kSystem (kNotFound when there is no such file) and name the operation, the
/// path and the cause. Thread-safety: PosixFileSystem may be used from several threads.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  /// Creates `path` (mode 0640), or empties the file that is there. Follows no link and waits for no
  /// reader: a link or a FIFO of that name is an Error.
  virtual Result<std::unique_ptr<WritableFile>> create(const std::string& path) = 0;
  /// The whole file, of whatever kind: a pipe is read until its writers are gone.
  virtual Result<std::vector<std::byte>> read(const std::string& path) = 0;
  /// A regular file, to be read piece by piece. An Error (kCorrupt) for anything else: that is not opened, so
  /// that a FIFO cannot keep anybody waiting.
  virtual Result<std::unique_ptr<ReadableFile>> open(const std::string& path, Links links) = 0;
  /// What is there under this name; a link is a link.
  virtual Result<FileKind> kind(const std::string& path) = 0;
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

/// What a process without privileges may still write to the file system of `path`, in bytes; nothing: it is
/// not known. One system call, which waits for a file system that does not answer. Thread-safe.
std::optional<std::uint64_t> free_bytes(const std::string& path);
/// The size of the file `path`, in bytes; nothing: there is none. Symbolic links are followed. Thread-safe.
std::optional<std::uint64_t> file_bytes(const std::string& path);

/// The real one.
class PosixFileSystem final : public FileSystem {
 public:
  Result<std::unique_ptr<WritableFile>> create(const std::string& path) override;
  Result<std::vector<std::byte>> read(const std::string& path) override;
  Result<std::unique_ptr<ReadableFile>> open(const std::string& path, Links links) override;
  Result<FileKind> kind(const std::string& path) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;
  Status sync_directory(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& path) override;
  Status create_directories(const std::string& path) override;
};

/// Opens those of standard input, output and error that are closed, so that no file or socket gets their
/// number, and with it log lines and predictions. Reading and writing them fails, as it did. For main(),
/// before it opens anything.
void hold_standard_descriptors();

}  // namespace glimpse
