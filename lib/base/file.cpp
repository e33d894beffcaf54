#include "base/file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace glimpse {
namespace {

constexpr mode_t kFileMode = 0640;
constexpr mode_t kFolderMode = 0750;

Error system_failure(std::string_view operation, const std::string& path, int cause) {
  return failure(ErrorCode::kSystem, "cannot {} {}: {}", operation, path,
                 std::generic_category().message(cause));
}

/// The same, for operations on something that should be there already.
Error lookup_failure(std::string_view operation, const std::string& path, int cause) {
  Error error = system_failure(operation, path, cause);
  if (cause == ENOENT) error.code = ErrorCode::kNotFound;
  return error;
}

/// Repeats a system call that a signal interrupted.
template <class Call>
auto retry(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// Owns an open file. Negative: opening failed, and errno says why.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags)
      : number_(retry([&] { return ::open(path.c_str(), flags | O_CLOEXEC, kFileMode); })) {}
  ~Descriptor() {
    // Not repeated after EINTR: Linux has released the number by then, and another thread may own it.
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  int number_;
};

class PosixWritableFile final : public WritableFile {
 public:
  explicit PosixWritableFile(const std::string& path)
      : path_(path), file_(path, O_WRONLY | O_CREAT | O_TRUNC) {}

  bool is_open() const { return file_.is_open(); }

  Status append(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const auto written = retry([&] { return ::write(file_.number(), bytes.data(), bytes.size()); });
      if (written < 0) return system_failure("write", path_, errno);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
  }

  Status sync() override {
    if (retry([&] { return ::fsync(file_.number()); }) < 0) return system_failure("fsync", path_, errno);
    return {};
  }

 private:
  std::string path_;
  Descriptor file_;
};

}  // namespace

Result<std::unique_ptr<WritableFile>> PosixFileSystem::create(const std::string& path) {
  auto file = std::make_unique<PosixWritableFile>(path);
  if (!file->is_open()) return system_failure("create", path, errno);
  return std::unique_ptr<WritableFile>(std::move(file));
}

Result<std::vector<std::byte>> PosixFileSystem::read(const std::string& path) {
  const Descriptor file(path, O_RDONLY);
  if (!file.is_open()) return lookup_failure("open", path, errno);
  struct stat status{};
  if (::fstat(file.number(), &status) < 0) return system_failure("examine", path, errno);

  // One byte more than the file is said to have, so that its end is normally met without growing; what has no
  // size (a pipe, /proc) or grows meanwhile is read in growing steps.
  constexpr std::size_t kSmallestStep = 4096;
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::max<off_t>(status.st_size, 0)) + 1);
  std::size_t filled = 0;
  for (;;) {
    if (filled == bytes.size()) bytes.resize(std::max(2 * filled, kSmallestStep));
    const auto got =
        retry([&] { return ::read(file.number(), bytes.data() + filled, bytes.size() - filled); });
    if (got < 0) return system_failure("read", path, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

Status PosixFileSystem::rename(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) == 0) return {};
  return failure(ErrorCode::kSystem, "cannot rename {} to {}: {}", from, to,
                 std::generic_category().message(errno));
}

Status PosixFileSystem::remove(const std::string& path) {
  if (::unlink(path.c_str()) < 0) return lookup_failure("remove", path, errno);
  return {};
}

Status PosixFileSystem::sync_directory(const std::string& path) {
  const Descriptor folder(path, O_RDONLY | O_DIRECTORY);
  if (!folder.is_open()) return system_failure("open folder", path, errno);
  if (retry([&] { return ::fsync(folder.number()); }) < 0) return system_failure("fsync folder", path, errno);
  return {};
}

Result<std::vector<std::string>> PosixFileSystem::list(const std::string& path) {
  std::error_code error;
  std::vector<std::string> names;
  std::filesystem::directory_iterator entry(path, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
    names.push_back(entry->path().filename().string());
  if (error) return lookup_failure("list", path, error.value());
  std::sort(names.begin(), names.end());
  return names;
}

Status PosixFileSystem::create_directories(const std::string& path) {
  std::filesystem::path folder;
  for (const auto& part : std::filesystem::path(path)) {
    const std::string parent = folder.empty() ? "." : folder.string();
    folder /= part;
    std::error_code ignored;
    if (std::filesystem::is_directory(folder, ignored)) continue;
    if (::mkdir(folder.c_str(), kFolderMode) < 0) {
      const int cause = errno;
      // Somebody else may have made it between the two looks.
      if (cause == EEXIST && std::filesystem::is_directory(folder, ignored)) continue;
      return system_failure("create folder", folder.string(), cause);
    }
    // What is made durable inside a folder is lost when the folder's own name is not durable.
    if (auto synced = sync_directory(parent); !synced) return synced;
  }
  return {};
}

}  // namespace glimpse
