#include "base/file_lock.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace glimpse {

namespace {
Error in_the_way(const std::string& path) {
  return failure(ErrorCode::kSystem,
                 "{} is in the way: it must be a regular file, which is made when it is missing; remove it",
                 path);
}
}  // namespace

Result<FileLock> FileLock::take_folder(const std::string& path) {
  FileLock lock(path, ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock.descriptor_ >= 0 && ::flock(lock.descriptor_, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
    return failure(ErrorCode::kUnavailable, "{} is held by another process", path);
  return lock;
}

Result<FileLock> FileLock::take(const std::string& path) {
  for (;;) {
    // Nothing but a file is opened: to open a device may do things, and a link leads elsewhere.
    struct stat there{};
    if (::lstat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) return in_the_way(path);
    // Not made where it is there: that works on a full disk as well.
    constexpr int kHow = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    int descriptor = ::open(path.c_str(), kHow);
    if (descriptor < 0 && errno == ENOENT) descriptor = ::open(path.c_str(), kHow | O_CREAT, 0640);
    if (descriptor < 0)
      return failure(ErrorCode::kSystem, "cannot open {}: {}", path, std::generic_category().message(errno));
    FileLock lock(path, descriptor);
    if (::fstat(descriptor, &there) != 0 || !S_ISREG(there.st_mode)) return in_the_way(path);
    int result = 0;
    do {
      result = ::flock(descriptor, LOCK_EX | LOCK_NB);
    } while (result < 0 && errno == EINTR);
    if (result < 0 && errno == EWOULDBLOCK)
      return failure(ErrorCode::kUnavailable, "{} is held by another process", path);
    if (result < 0)
      return failure(ErrorCode::kSystem, "cannot lock {}: {}", path, std::generic_category().message(errno));
    // Between the two calls the file may have been replaced by one that another process locks.
    if (lock.is_current()) return lock;
  }
}

bool FileLock::is_current() const {
  struct stat locked{};
  struct stat there{};
  return ::fstat(descriptor_, &locked) == 0 && ::lstat(path_.c_str(), &there) == 0 &&
         locked.st_dev == there.st_dev && locked.st_ino == there.st_ino;
}

Status FileLock::renew() {
  if (is_current()) return {};
  GLIMPSE_TRY_ASSIGN(*this, take(path_));
  return {};
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace glimpse
