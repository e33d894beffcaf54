#include "glimpsectl/input/byte_tape.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace glimpse::ctl {

Result<ByteTape> ByteTape::open(const std::string& name) {
  const int descriptor =
      name == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status{};
  if (descriptor < 0 || ::fstat(descriptor, &status) < 0)
    return failure(ErrorCode::kSystem, "'{}' cannot be opened: {}", name, std::strerror(errno));
  ByteTape tape(descriptor, S_ISREG(status.st_mode), name);
  tape.size_ = status.st_size;
  tape.written_ = status.st_mtim;
  if (S_ISDIR(status.st_mode)) return failure(ErrorCode::kSystem, "'{}' is a directory", name);
  return tape;
}

ByteTape::ByteTape(ByteTape&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      is_file_(other.is_file_),
      size_(other.size_),
      written_(other.written_),
      at_end_(other.at_end_),
      name_(std::move(other.name_)),
      kept_(std::move(other.kept_)),
      kept_from_(other.kept_from_) {}

ByteTape::~ByteTape() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool ByteTape::was_touched() const {
  struct stat here{};
  struct stat there{};
  if (!is_file_ || ::fstat(descriptor_, &here) < 0) return false;
  const bool is_there = name_ == "-" || (::stat(name_.c_str(), &there) == 0 && there.st_ino == here.st_ino &&
                                         there.st_dev == here.st_dev);
  return !is_there || here.st_size != size_ || here.st_mtim.tv_sec != written_.tv_sec ||
         here.st_mtim.tv_nsec != written_.tv_nsec;
}

Error ByteTape::unreadable() const {
  return failure(ErrorCode::kSystem, "'{}' cannot be read: {}", name_, std::strerror(errno));
}

Result<std::size_t> ByteTape::read_at(std::uint64_t offset, std::span<char> bytes) {
  if (is_file_) {
    for (;;) {
      const ssize_t count = ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) return unreadable();
    }
  }
  if (offset < kept_from_)
    return failure(ErrorCode::kUnavailable,
                   "'{}' is a pipe, and what the daemon lost was not kept: it was durable once", name_);
  while (offset >= kept_from_ + kept_.size() && !at_end_) {
    constexpr std::size_t kPiece = std::size_t{256} << 10;
    const std::size_t before = kept_.size();
    kept_.resize(before + kPiece);
    const ssize_t count = ::read(descriptor_, kept_.data() + before, kPiece);
    kept_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count < 0 && errno != EINTR) return unreadable();
    at_end_ = count == 0;
  }
  const auto at = static_cast<std::size_t>(std::min<std::uint64_t>(offset - kept_from_, kept_.size()));
  const std::size_t count = std::min(bytes.size(), kept_.size() - at);
  std::copy_n(kept_.begin() + static_cast<std::ptrdiff_t>(at), count, bytes.begin());
  return count;
}

void ByteTape::forget(std::uint64_t offset) {
  if (is_file_ || offset <= kept_from_) return;
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(offset - kept_from_, kept_.size()));
  kept_.erase(0, count);
  kept_from_ += count;
}

bool ByteTape::waits(std::uint64_t offset) const {
  if (is_file_ || at_end_ || offset < kept_from_ + kept_.size()) return false;
  pollfd readable{descriptor_, POLLIN, 0};
  return ::poll(&readable, 1, 0) == 0;
}

}  // namespace glimpse::ctl
