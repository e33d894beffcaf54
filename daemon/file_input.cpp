#include "daemon/file_input.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace glimpse {

namespace {
constexpr std::size_t kReadBytes = std::size_t{256} << 10;
constexpr std::size_t kBuffers = 8;  // as many as ReplyWriter lets be on their way, and some
constexpr int kPipeBytes = 1 << 20;  // of the pipe that is read from, where the system allows it
}  // namespace

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
      ended_(std::move(ended)),
      pool_(kReadBytes, kBuffers) {}

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

// A read from a pipe or terminal is woken when stop() wants the thread back.
bool FileInput::wait_readable() {
  if (source_->is_regular()) return !stopping_;
  pollfd descriptors[] = {{source_->descriptor(), POLLIN, 0}, {wake_, POLLIN, 0}};
  while (!stopping_) {
    if (::poll(descriptors, 2, -1) < 0 && errno != EINTR) return true;
    if (descriptors[0].revents != 0) return !stopping_;
  }
  return false;
}

void FileInput::push(Bytes bytes) {
  Block block;
  block.feed = feed_;
  block.bytes = std::move(bytes);
  const std::size_t size = block.bytes.size();
  block.done = [&replies = replies_, size](BlockResult&& result) { replies.append(size, result.replies); };
  replies_.expect(size);
  queue_.push_blocking(std::move(block));
}

Status FileInput::read_all() {
  RecordBuffer buffer(feed_->framing, pool_);
  ::fcntl(source_->descriptor(), F_SETPIPE_SZ, kPipeBytes);  // fails, without harm, where it is no pipe
  while (replies_.wait_for_room(stopping_) && wait_readable()) {
    const std::span<char> room = buffer.room();
    const ssize_t count = ::read(source_->descriptor(), room.data(), room.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0)
      return failure(ErrorCode::kSystem, "{}: cannot be read: {}", source_->name(), std::strerror(errno));
    if (count == 0) {
      if (buffer.size() > 0) push(buffer.take_rest());
      return {};
    }
    buffer.filled(static_cast<std::size_t>(count));
    for (;;) {
      auto records = buffer.take_records();
      if (!records)
        return failure(ErrorCode::kTooLarge, "{}: {}; reading stopped there", source_->name(),
                       records.error().message);
      if (!*records) break;
      push(std::move(**records));
    }
  }
  return {};
}

}  // namespace glimpse
