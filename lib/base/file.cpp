#include "base/file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <sys/statvfs.h>
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

FileKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::kRegular;
  if (S_ISDIR(mode)) return FileKind::kDirectory;
  if (S_ISLNK(mode)) return FileKind::kLink;
  if (S_ISFIFO(mode)) return FileKind::kFifo;
  if (S_ISSOCK(mode)) return FileKind::kSocket;
  return FileKind::kDevice;
}

Error not_regular(const std::string& path, FileKind kind) {
  return failure(ErrorCode::kCorrupt, "{} is {}, not a regular file", path, describe(kind));
}

class PosixReadableFile final : public ReadableFile {
 public:
  // O_NONBLOCK: what became a FIFO since it was looked at is refused, not waited for.
  PosixReadableFile(const std::string& path, Links links)
      : path_(path), file_(path, O_RDONLY | O_NONBLOCK | (links == Links::kRefused ? O_NOFOLLOW : 0)) {}

  Status examine() {
    if (!file_.is_open()) return lookup_failure("open", path_, errno);
    struct stat status{};
    if (::fstat(file_.number(), &status) < 0) return system_failure("examine", path_, errno);
    if (!S_ISREG(status.st_mode)) return not_regular(path_, kind_of(status.st_mode));
    size_ = static_cast<std::uint64_t>(status.st_size);
    modified_ = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    return {};
  }

  std::uint64_t size() const override { return size_; }
  std::int64_t modified() const override { return modified_; }

  Status read(std::uint64_t begin, std::span<std::byte> room) override {
    while (!room.empty()) {
      const auto got =
          retry([&] { return ::pread(file_.number(), room.data(), room.size(), static_cast<off_t>(begin)); });
      if (got < 0) return system_failure("read", path_, errno);
      if (got == 0) return failure(ErrorCode::kCorrupt, "{} became shorter while it was read", path_);
      room = room.subspan(static_cast<std::size_t>(got));
      begin += static_cast<std::uint64_t>(got);
    }
    return {};
  }

 private:
  std::string path_;
  Descriptor file_;
  std::uint64_t size_ = 0;
  std::int64_t modified_ = 0;
};

class PosixWritableFile final : public WritableFile {
 public:
  explicit PosixWritableFile(const std::string& path)
      : path_(path), file_(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK) {}

  // Emptied only once it is known to be a file.
  Status begin() {
    if (!file_.is_open()) return system_failure("create", path_, errno);
    struct stat status{};
    if (::fstat(file_.number(), &status) < 0) return system_failure("examine", path_, errno);
    if (S_ISFIFO(status.st_mode))
      return failure(ErrorCode::kSystem, "cannot create {}: {} is there", path_, describe(FileKind::kFifo));
    if (S_ISREG(status.st_mode) && status.st_size > 0 &&
        retry([&] { return ::ftruncate(file_.number(), 0); }) < 0)
      return system_failure("empty", path_, errno);
    return {};
  }

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

bool is_full(const Error& error) {
  constexpr int kCauses[] = {ENOSPC, EDQUOT, EFBIG};
  return error.code == ErrorCode::kSystem &&
         std::any_of(std::begin(kCauses), std::end(kCauses), [&](int cause) {
           return error.message.ends_with(": " + std::generic_category().message(cause));
         });
}

const char* describe(FileKind kind) {
  switch (kind) {
    case FileKind::kRegular:
      return "a regular file";
    case FileKind::kDirectory:
      return "a directory";
    case FileKind::kLink:
      return "a symbolic link";
    case FileKind::kFifo:
      return "a FIFO";
    case FileKind::kSocket:
      return "a socket";
    case FileKind::kDevice:
      break;
  }
  return "a device";
}

Result<std::unique_ptr<WritableFile>> PosixFileSystem::create(const std::string& path) {
  auto file = std::make_unique<PosixWritableFile>(path);
  GLIMPSE_TRY(file->begin());
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

Result<FileKind> PosixFileSystem::kind(const std::string& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) < 0) return lookup_failure("examine", path, errno);
  return kind_of(status.st_mode);
}

Result<std::unique_ptr<ReadableFile>> PosixFileSystem::open(const std::string& path, Links links) {
  struct stat status{};
  const auto examine = links == Links::kRefused ? ::lstat : ::stat;
  if (examine(path.c_str(), &status) < 0) return lookup_failure("open", path, errno);
  if (!S_ISREG(status.st_mode)) return not_regular(path, kind_of(status.st_mode));
  auto file = std::make_unique<PosixReadableFile>(path, links);
  GLIMPSE_TRY(file->examine());
  return std::unique_ptr<ReadableFile>(std::move(file));
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

// std::filesystem's iterators end the program where there is no memory for a name.
Result<std::vector<std::string>> PosixFileSystem::list(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), &::closedir);
  if (!folder) return lookup_failure("list", path, errno);
  std::vector<std::string> names;
  const dirent* entry = nullptr;
  while (errno = 0, (entry = ::readdir(folder.get())) != nullptr)
    if (const std::string_view name = entry->d_name; name != "." && name != "..") names.emplace_back(name);
  if (errno != 0) return lookup_failure("list", path, errno);
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
    GLIMPSE_TRY(sync_directory(parent));
  }
  return {};
}

std::optional<std::uint64_t> free_bytes(const std::string& path) {
  struct statvfs system{};
  if (retry([&] { return ::statvfs(path.c_str(), &system); }) != 0) return std::nullopt;
  return std::uint64_t{system.f_bavail} * system.f_frsize;
}

std::optional<std::uint64_t> file_bytes(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

// open() gives the lowest number that is free.
void hold_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0)
      (void)::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace glimpse
