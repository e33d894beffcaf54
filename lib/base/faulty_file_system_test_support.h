#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
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

namespace faulty_files {

inline std::string folder_of(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

inline Error missing(const char* operation, const std::string& path, ErrorCode code) {
  return failure(code, "cannot {} {}: No such file or directory", operation, path);
}

}  // namespace faulty_files

class FaultyFileSystem::OpenFile final : public WritableFile {
 public:
  OpenFile(FaultyFileSystem& system, std::string path, std::shared_ptr<File> file)
      : system_(system), path_(std::move(path)), file_(std::move(file)), crashes_(system.crashes_) {}

  Status append(std::span<const std::byte> bytes) override {
    auto status = count("write");
    const bool planned = crashes_ == system_.crashes_ && system_.operations_ == system_.failing_operation_;
    const bool half = planned && system_.failed_append_ == FailedAppend::kHalf;
    if (!status) bytes = bytes.first(half ? bytes.size() / 2 : 0);
    file_->bytes.insert(file_->bytes.end(), bytes.begin(), bytes.end());
    return status;
  }

  Status sync() override {
    auto status = count("fsync");
    if (status) file_->synced = file_->bytes.size();
    return status;
  }

 private:
  Status count(const char* operation) {
    auto status = system_.count(operation, path_);
    if (status && crashes_ != system_.crashes_)
      return failure(ErrorCode::kSystem, "cannot {} {}: opened before the crash", operation, path_);
    return status;
  }

  FaultyFileSystem& system_;
  std::string path_;
  std::shared_ptr<File> file_;
  std::uint64_t crashes_;
};

class FaultyFileSystem::ReadFile final : public ReadableFile {
 public:
  ReadFile(FaultyFileSystem& system, std::shared_ptr<File> file) : system_(system), file_(std::move(file)) {}

  std::uint64_t size() const override { return file_->bytes.size(); }

  Status read(std::uint64_t begin, std::span<std::byte> room) override {
    if (begin + room.size() > file_->bytes.size())
      return failure(ErrorCode::kCorrupt, "the file became shorter while it was read");
    const auto first = file_->bytes.begin() + static_cast<std::ptrdiff_t>(begin);
    std::copy(first, first + static_cast<std::ptrdiff_t>(room.size()), room.begin());
    system_.bytes_read_ += room.size();
    return {};
  }

 private:
  FaultyFileSystem& system_;
  std::shared_ptr<File> file_;
};

inline void FaultyFileSystem::fail_at(std::uint64_t n, FailedAppend left) {
  failing_operation_ = operations_ + n;
  power_goes_ = false;
  failed_append_ = left;
}

inline void FaultyFileSystem::lose_power_at(std::uint64_t n, FailedAppend left) {
  fail_at(n, left);
  power_goes_ = true;
}

inline void FaultyFileSystem::crash(bool names_survive, Tail tail) {
  if (names_survive)
    durable_names_ = names_;
  else
    names_ = durable_names_;
  for (auto& [path, file] : names_) {
    const auto unsynced = file->bytes.begin() + static_cast<std::ptrdiff_t>(file->synced);
    if (tail == Tail::kLost) file->bytes.erase(unsynced, file->bytes.end());
    if (tail == Tail::kGarbage) std::fill(unsynced, file->bytes.end(), std::byte{0xA5});
    file->synced = file->bytes.size();
  }
  failing_operation_ = 0;
  power_goes_ = false;
  ++crashes_;
}

inline void FaultyFileSystem::put(const std::string& path, std::vector<std::byte> bytes) {
  const std::size_t size = bytes.size();
  folders_.insert(faulty_files::folder_of(path));
  names_[path] = durable_names_[path] = std::make_shared<File>(File{std::move(bytes), size});
}

inline void FaultyFileSystem::put_other(const std::string& path, FileKind kind) {
  put(path, {});
  names_[path]->kind = kind;
}

inline Status FaultyFileSystem::count(const char* operation, const std::string& path) {
  ++operations_;
  const bool planned = failing_operation_ != 0 && operations_ >= failing_operation_;
  if (planned && (power_goes_ || operations_ == failing_operation_))
    return failure(ErrorCode::kSystem, "cannot {} {}: Input/output error", operation, path);
  return {};
}

inline Result<std::unique_ptr<WritableFile>> FaultyFileSystem::create(const std::string& path) {
  GLIMPSE_TRY(count("create", path));
  if (!folders_.contains(faulty_files::folder_of(path)))
    return faulty_files::missing("create", path, ErrorCode::kSystem);
  // A file of its own, so that what had the name before comes back when the creation is forgotten.
  auto file = names_[path] = std::make_shared<File>();
  return std::unique_ptr<WritableFile>(std::make_unique<OpenFile>(*this, path, std::move(file)));
}

inline Result<std::vector<std::byte>> FaultyFileSystem::read(const std::string& path) {
  const auto place = names_.find(path);
  if (place == names_.end()) return faulty_files::missing("open", path, ErrorCode::kNotFound);
  bytes_read_ += place->second->bytes.size();
  return place->second->bytes;
}

inline Result<std::unique_ptr<ReadableFile>> FaultyFileSystem::open(const std::string& path, Links) {
  const auto place = names_.find(path);
  if (place == names_.end()) return faulty_files::missing("open", path, ErrorCode::kNotFound);
  if (const FileKind kind = place->second->kind; kind != FileKind::kRegular)
    return failure(ErrorCode::kCorrupt, "{} is {}, not a regular file", path, describe(kind));
  return std::unique_ptr<ReadableFile>(std::make_unique<ReadFile>(*this, place->second));
}

inline Result<FileKind> FaultyFileSystem::kind(const std::string& path) {
  const auto place = names_.find(path);
  if (place == names_.end()) return faulty_files::missing("examine", path, ErrorCode::kNotFound);
  return place->second->kind;
}

inline Status FaultyFileSystem::rename(const std::string& from, const std::string& to) {
  GLIMPSE_TRY(count("rename", from));
  const auto place = names_.find(from);
  if (place == names_.end()) return faulty_files::missing("rename", from, ErrorCode::kSystem);
  auto file = std::move(place->second);
  names_.erase(place);
  names_[to] = std::move(file);
  return {};
}

inline Status FaultyFileSystem::remove(const std::string& path) {
  GLIMPSE_TRY(count("remove", path));
  if (names_.erase(path) == 0) return faulty_files::missing("remove", path, ErrorCode::kNotFound);
  return {};
}

inline Status FaultyFileSystem::sync_directory(const std::string& path) {
  GLIMPSE_TRY(count("fsync folder", path));
  const auto inside = [&](const auto& entry) { return faulty_files::folder_of(entry.first) == path; };
  std::erase_if(durable_names_, inside);
  for (const auto& entry : names_)
    if (inside(entry)) durable_names_.insert(entry);
  return {};
}

inline Result<std::vector<std::string>> FaultyFileSystem::list(const std::string& path) {
  if (!folders_.contains(path)) return faulty_files::missing("list", path, ErrorCode::kNotFound);
  std::vector<std::string> names;
  for (const auto& entry : names_)
    if (faulty_files::folder_of(entry.first) == path)
      names.push_back(std::filesystem::path(entry.first).filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

inline Status FaultyFileSystem::create_directories(const std::string& path) {
  for (std::filesystem::path folder = path; !folder.empty(); folder = folder.parent_path()) {
    folders_.insert(folder.string());
    if (folder == folder.root_path()) break;
  }
  return {};
}

}  // namespace glimpse
