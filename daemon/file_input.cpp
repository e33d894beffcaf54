#include "daemon/file_input.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace glimpse {

namespace {
constexpr std::size_t kReadBytes = std::size_t{256} << 10;
}

Result<std::unique_ptr<FileInput>> FileInput::make(std::unique_ptr<InputSource> source,
                                                   std::shared_ptr<Feed> feed, BlockQueue& queue,
                                                   ReplyWriter& replies, Ended ended) {
  const int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake < 0) return failure(ErrorCode::kSystem, "--input {}: {}", source->name(), std::strerror(errno));
  return std::unique_ptr<FileInput>(
      new FileInput(std::move(source), wake, std::move(feed), queue, replies, std::move(ended)));
}

FileInput::FileInput(std::unique_ptr<InputSource> source, int wake, std::shared_ptr<Feed> feed,
                     BlockQueue& queue, ReplyWriter& replies, Ended ended)
    : source_(std::move(source)),
      wake_(wake),
      feed_(std::move(feed)),
      queue_(queue),
      replies_(replies),
      ended_(std::move(ended)) {}

FileInput::~FileInput() {
  stop();
  if (thread_.joinable()) thread_.join();
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
  pollfd descriptors[] = {{source_->descriptor(), POLLIN, 0}, {wake_, POLLIN, 0}};
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
    const ssize_t count = ::read(source_->descriptor(), buffer.data() + filled, buffer.size() - filled);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0)
      return failure(ErrorCode::kSystem, "{}: cannot be read: {}", source_->name(), std::strerror(errno));
    if (count == 0) {
      buffer.resize(filled);
      if (filled > 0) push(std::move(buffer));
      return {};
    }
    filled += static_cast<std::size_t>(count);
    for (;;) {
      const auto whole = framer.whole_records({buffer.data(), filled});
      if (!whole)
        return failure(ErrorCode::kTooLarge, "{}: {}; reading stopped there", source_->name(),
                       whole.error().message);
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
