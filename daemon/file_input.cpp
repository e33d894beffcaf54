#include "daemon/file_input.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace glimpse {

namespace {
constexpr std::size_t kReadBytes = std::size_t{256} << 10;

// A reader that resumes in the middle of a file must take it as one that began at the beginning did: the
// first record tells the format, and may be a header.
void show_beginning(int descriptor, Feed& feed) {
  if (!feed.framing.is_lines()) return;
  RecordFramer framer(feed.framing);
  std::string lines;
  for (std::uint64_t left = feed.position; left > 0;) {
    const std::size_t filled = lines.size();
    lines.resize(filled + std::min<std::uint64_t>(kReadBytes, left));
    const ssize_t count = ::read(descriptor, lines.data() + filled, lines.size() - filled);
    if (count <= 0) return;
    left -= static_cast<std::uint64_t>(count);
    lines.resize(filled + static_cast<std::size_t>(count));
    const auto whole = framer.whole_records(lines);
    if (!whole) return;
    RecordCursor cursor(std::string_view(lines).substr(0, *whole), feed.framing);
    while (const auto record = cursor.next()) {
      if (detect_format(*record) == Format::kAuto) continue;  // blank or a comment
      (void)feed.reader->open(*record);
      return;
    }
    lines.erase(0, *whole);
  }
}

}  // namespace

Result<std::unique_ptr<FileInput>> FileInput::open(const std::string& path, std::shared_ptr<Feed> feed,
                                                   BlockQueue& queue, ReplyWriter& replies, Ended ended) {
  const bool standard = path == "-";
  // O_NONBLOCK: a FIFO that nobody writes to yet must not keep the other doors shut.
  const int descriptor = standard ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                  : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const auto refuse = [&](const std::string& why) {
    if (descriptor >= 0) ::close(descriptor);
    return failure(ErrorCode::kSystem, "--input {}: {}", path, why);
  };
  if (descriptor < 0) return refuse(std::strerror(errno));
  struct stat status{};
  if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) return refuse("is a directory");
  if (!standard && feed->position > 0) {
    if (!S_ISREG(status.st_mode)) {
      feed->position = 0;
      feed->records = 0;
    } else if (static_cast<std::uint64_t>(status.st_size) < feed->position) {
      return refuse(
          fmt::format("has {} bytes, but the checkpoint had read {}: it is not the same file any more",
                      status.st_size, feed->position));
    } else {
      show_beginning(descriptor, *feed);
      if (::lseek(descriptor, static_cast<off_t>(feed->position), SEEK_SET) < 0)
        return refuse(std::strerror(errno));
    }
  }
  const int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake < 0) return refuse(std::strerror(errno));
  return std::unique_ptr<FileInput>(new FileInput(descriptor, S_ISREG(status.st_mode), wake,
                                                  standard ? "stdin" : path, std::move(feed), queue, replies,
                                                  std::move(ended)));
}

FileInput::FileInput(int descriptor, bool regular, int wake, std::string name, std::shared_ptr<Feed> feed,
                     BlockQueue& queue, ReplyWriter& replies, Ended ended)
    : descriptor_(descriptor),
      regular_(regular),
      wake_(wake),
      name_(std::move(name)),
      feed_(std::move(feed)),
      queue_(queue),
      replies_(replies),
      ended_(std::move(ended)) {}

FileInput::~FileInput() {
  stop();
  if (thread_.joinable()) thread_.join();
  ::close(descriptor_);
  ::close(wake_);
}

void FileInput::start() {
  thread_ = std::thread([this] { run(); });
}

void FileInput::stop() {
  stopping_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_, &one, sizeof one);
  replies_.wake();
}

void FileInput::run() { ended_(read_all()); }

// poll() says at once that a regular file is readable, and wakes a read from a pipe or terminal when stop()
// wants the thread back.
bool FileInput::wait_readable() {
  pollfd descriptors[] = {{descriptor_, POLLIN, 0}, {wake_, POLLIN, 0}};
  while (!stopping_) {
    if (::poll(descriptors, 2, -1) < 0 && errno != EINTR) return true;
    if (descriptors[0].revents != 0) return !stopping_;
  }
  return false;
}

void FileInput::push(std::string bytes) {
  Block block;
  block.feed = feed_;
  block.bytes = std::move(bytes);
  const std::size_t size = block.bytes.size();
  block.done = [&replies = replies_, size](BlockResult&& result) { replies.append(size, result.replies); };
  replies_.expect(size);
  queue_.push_blocking(std::move(block));
}

Status FileInput::read_all() {
  RecordFramer framer(feed_->framing);
  std::string buffer(kReadBytes, '\0');
  std::size_t filled = 0;
  while (replies_.wait_for_room(stopping_) && wait_readable()) {
    if (buffer.size() - filled < kReadBytes / 4) buffer.resize(std::max(2 * filled, kReadBytes));
    const ssize_t count = ::read(descriptor_, buffer.data() + filled, buffer.size() - filled);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return failure(ErrorCode::kSystem, "{}: cannot be read: {}", name_, std::strerror(errno));
    if (count == 0) {
      buffer.resize(filled);
      if (filled > 0) push(std::move(buffer));
      return {};
    }
    filled += static_cast<std::size_t>(count);
    for (;;) {
      const auto whole = framer.whole_records({buffer.data(), filled});
      if (!whole)
        return failure(ErrorCode::kTooLarge, "{}: {}; reading stopped there", name_, whole.error().message);
      if (*whole == 0) break;
      std::string next(std::max(kReadBytes, 2 * (filled - *whole)), '\0');
      std::memcpy(next.data(), buffer.data() + *whole, filled - *whole);
      filled -= *whole;
      buffer.resize(*whole);
      push(std::move(buffer));
      buffer = std::move(next);
      if (filled == 0) break;
    }
  }
  return {};
}

}  // namespace glimpse
