#include "base/faulty_file_system.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace glimpse {
namespace {

std::string folder_of(const std::string& path) { return std::filesystem::path(path).parent_path().string(); }

Error missing(const char* operation, const std::string& path, ErrorCode code) {
  return failure(code, "cannot {} {}: No such file or directory", operation, path);
}

}  // namespace

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

void FaultyFileSystem::fail_at(std::uint64_t n, FailedAppend left) {
  failing_operation_ = operations_ + n;
  power_goes_ = false;
  failed_append_ = left;
}

void FaultyFileSystem::lose_power_at(std::uint64_t n, FailedAppend left) {
  fail_at(n, left);
  power_goes_ = true;
}

void FaultyFileSystem::crash(bool names_survive, Tail tail) {
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

void FaultyFileSystem::put(const std::string& path, std::vector<std::byte> bytes) {
  const std::size_t size = bytes.size();
  folders_.insert(folder_of(path));
  names_[path] = durable_names_[path] = std::make_shared<File>(File{std::move(bytes), size});
}

void FaultyFileSystem::put_other(const std::string& path, FileKind kind) {
  put(path, {});
  names_[path]->kind = kind;
}

Status FaultyFileSystem::count(const char* operation, const std::string& path) {
  ++operations_;
  const bool planned = failing_operation_ != 0 && operations_ >= failing_operation_;
  if (planned && (power_goes_ || operations_ == failing_operation_))
    return failure(ErrorCode::kSystem, "cannot {} {}: Input/output error", operation, path);
  return {};
}

Result<std::unique_ptr<WritableFile>> FaultyFileSystem::create(const std::string& path) {
  GLIMPSE_TRY(count("create", path));
  if (!folders_.contains(folder_of(path))) return missing("create", path, ErrorCode::kSystem);
  // A file of its own, so that what had the name before comes back when the creation is forgotten.
  auto file = names_[path] = std::make_shared<File>();
  return std::unique_ptr<WritableFile>(std::make_unique<OpenFile>(*this, path, std::move(file)));
}

Result<std::vector<std::byte>> FaultyFileSystem::read(const std::string& path) {
  const auto place = names_.find(path);
  if (place == names_.end()) return missing("open", path, ErrorCode::kNotFound);
  bytes_read_ += place->second->bytes.size();
  return place->second->bytes;
}

Result<std::unique_ptr<ReadableFile>> FaultyFileSystem::open(const std::string& path, Links) {
  const auto place = names_.find(path);
  if (place == names_.end()) return missing("open", path, ErrorCode::kNotFound);
  if (const FileKind kind = place->second->kind; kind != FileKind::kRegular)
    return failure(ErrorCode::kCorrupt, "{} is {}, not a regular file", path, describe(kind));
  return std::unique_ptr<ReadableFile>(std::make_unique<ReadFile>(*this, place->second));
}

Result<FileKind> FaultyFileSystem::kind(const std::string& path) {
  const auto place = names_.find(path);
  if (place == names_.end()) return missing("examine", path, ErrorCode::kNotFound);
  return place->second->kind;
}

Status FaultyFileSystem::rename(const std::string& from, const std::string& to) {
  GLIMPSE_TRY(count("rename", from));
  const auto place = names_.find(from);
  if (place == names_.end()) return missing("rename", from, ErrorCode::kSystem);
  auto file = std::move(place->second);
  names_.erase(place);
  names_[to] = std::move(file);
  return {};
}

Status FaultyFileSystem::remove(const std::string& path) {
  GLIMPSE_TRY(count("remove", path));
  if (names_.erase(path) == 0) return missing("remove", path, ErrorCode::kNotFound);
  return {};
}

Status FaultyFileSystem::sync_directory(const std::string& path) {
  GLIMPSE_TRY(count("fsync folder", path));
  const auto inside = [&](const auto& entry) { return folder_of(entry.first) == path; };
  std::erase_if(durable_names_, inside);
  for (const auto& entry : names_)
    if (inside(entry)) durable_names_.insert(entry);
  return {};
}

Result<std::vector<std::string>> FaultyFileSystem::list(const std::string& path) {
  if (!folders_.contains(path)) return missing("list", path, ErrorCode::kNotFound);
  std::vector<std::string> names;
  for (const auto& entry : names_)
    if (folder_of(entry.first) == path)
      names.push_back(std::filesystem::path(entry.first).filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

Status FaultyFileSystem::create_directories(const std::string& path) {
  for (std::filesystem::path folder = path; !folder.empty(); folder = folder.parent_path()) {
    folders_.insert(folder.string());
    if (folder == folder.root_path()) break;
  }
  return {};
}

}  // namespace glimpse
