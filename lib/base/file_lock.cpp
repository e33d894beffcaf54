#include "base/file_lock.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

namespace glimpse {

Result<FileLock> FileLock::take(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
  if (descriptor < 0)
    return failure(ErrorCode::kSystem, "cannot open {}: {}", path, std::generic_category().message(errno));
  FileLock lock(descriptor);
  int result = 0;
  do {
    result = ::flock(descriptor, LOCK_EX | LOCK_NB);
  } while (result < 0 && errno == EINTR);
  if (result == 0) return lock;
  if (errno == EWOULDBLOCK) return failure(ErrorCode::kUnavailable, "{} is held by another process", path);
  return failure(ErrorCode::kSystem, "cannot lock {}: {}", path, std::generic_category().message(errno));
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace glimpse
