#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"

namespace glimpse {

/// A file system for tests, held in memory, that forgets what was not synced when its power goes and can let
/// any operation fail. It is as unkind as POSIX allows: sync() makes a file's bytes durable but not its name;
/// names (creations, renames, removals) become durable with sync_directory() alone. Folders themselves are
/// durable at once. Thread-safety: none. Files that were created must not be used after the file system is
/// gone.
class FaultyFileSystem final : public FileSystem {
 public:
  FaultyFileSystem() = default;
  FaultyFileSystem(const FaultyFileSystem&) = delete;
  FaultyFileSystem& operator=(const FaultyFileSystem&) = delete;

  /// What becomes of bytes that were appended and not synced.
  enum class Tail { kLost, kGarbage, kKept };
  /// What a failing append leaves behind.
  enum class FailedAppend { kNothing, kHalf };

  /// The n-th operation from now (n ≥ 1) fails, that one alone: its Error has code kSystem, and nothing is
  /// done but, with kHalf, the first half of an append. Operations are create, append, sync, rename, remove
  /// and sync_directory.
  void fail_at(std::uint64_t n, FailedAppend left = FailedAppend::kNothing);

  /// The power goes at the n-th operation from now: it and all later ones fail until crash() is called.
  void lose_power_at(std::uint64_t n, FailedAppend left = FailedAppend::kNothing);

  /// The power goes, and comes back. Names not synced survive if `names_survive`, else the folders are as
  /// they were last synced; what survives of unsynced bytes is `tail`. Files that were open refuse everything
  /// from now on, and no failure is planned any more.
  void crash(bool names_survive, Tail tail);

  /// Operations counted so far, failed ones included.
  std::uint64_t operations() const { return operations_; }

  /// Puts a durable file there, or replaces it, without counting an operation: what a test begins with.
  void put(const std::string& path, std::vector<std::byte> bytes);

  /// The same for something that is no regular file. It is never read.
  void put_other(const std::string& path, FileKind kind);

  /// How many bytes were read of files, by read() and through open().
  std::uint64_t bytes_read() const { return bytes_read_; }

  Result<std::unique_ptr<WritableFile>> create(const std::string& path) override;
  Result<std::vector<std::byte>> read(const std::string& path) override;
  Result<std::unique_ptr<ReadableFile>> open(const std::string& path, Links links) override;
  Result<FileKind> kind(const std::string& path) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;
  Status sync_directory(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& path) override;
  Status create_directories(const std::string& path) override;

 private:
  class OpenFile;
  class ReadFile;

  struct File {
    std::vector<std::byte> bytes;
    std::size_t synced = 0;  // so many of them are durable
    FileKind kind = FileKind::kRegular;
  };
  using Names = std::map<std::string, std::shared_ptr<File>>;

  /// Counts one operation, and says whether it fails.
  Status count(const char* operation, const std::string& path);

  Names names_;          // as programs see them
  Names durable_names_;  // as the last sync_directory of each folder left them
  std::set<std::string> folders_;

  std::uint64_t operations_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t failing_operation_ = 0;  // 0: none
  bool power_goes_ = false;
  FailedAppend failed_append_ = FailedAppend::kNothing;
  std::uint64_t crashes_ = 0;  // tells files opened before a crash from those opened after it
};

}  // namespace glimpse
