#include "daemon/ingest/reply_writer.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <string>
#include <string_view>
#include <unistd.h>

namespace glimpse {

struct ReplyWriter::Shared {
  Shared(int where, std::size_t most) : descriptor(where), limit(most) {}

  const int descriptor;
  const std::size_t limit;

  std::mutex mutex;
  std::condition_variable work;
  std::condition_variable room;
  std::string backlog;        // under mutex, as all below
  std::size_t unwritten = 0;  // of `writing`
  std::size_t expected = 0;
  std::size_t waiting = 0;  // readers
  bool in_system = false;   // the thread is inside poll() or write()
  bool failed = false;
  std::size_t lost = 0;                 // lines, since it failed
  std::atomic<bool> abandoned = false;  // set under mutex
  std::string writing;                  // changed by the thread alone, under mutex

  bool has_room(std::size_t most_expected) const {
    return backlog.size() + unwritten < limit && expected < most_expected;
  }
  // A reader that had to wait goes on when half of its input is done: waking it for every block costs more
  // than the block.
  bool is_worth_waking() const { return waiting > 0 && has_room(limit / 2 + 1); }
  void run();
  ssize_t write_some(const char* bytes, std::size_t size) const;
  // Whole lines that nobody got, and the one that was begun.
  std::size_t lines_left() const {
    const std::string_view rest = std::string_view(writing).substr(writing.size() - unwritten);
    return static_cast<std::size_t>(std::ranges::count(backlog, '\n') + std::ranges::count(rest, '\n'));
  }
  void discard() {
    backlog.clear();
    unwritten = 0;
    room.notify_all();
  }
};

// A pipe that poll() calls writable takes PIPE_BUF bytes without waiting, so that what was not taken is known
// to the line when it must be thrown away.
ssize_t ReplyWriter::Shared::write_some(const char* bytes, std::size_t size) const {
  pollfd writable{descriptor, POLLOUT, 0};
  if (::poll(&writable, 1, -1) < 0) return -1;
  if (abandoned) return 0;  // the descriptor may be somebody else's by now
  return ::write(descriptor, bytes, std::min<std::size_t>(size, PIPE_BUF));
}

void ReplyWriter::Shared::run() {
  std::unique_lock lock(mutex);
  for (;;) {
    work.wait(lock, [&] { return abandoned || unwritten > 0 || !backlog.empty(); });
    if (abandoned) return;
    if (unwritten == 0) {
      writing.swap(backlog);
      backlog.clear();
      unwritten = writing.size();
    }
    const char* rest = writing.data() + writing.size() - unwritten;
    const std::size_t size = unwritten;
    in_system = true;
    lock.unlock();
    const ssize_t written = write_some(rest, size);
    const int cause = errno;
    lock.lock();
    in_system = false;
    if (abandoned) return;
    if (written >= 0) {
      unwritten -= static_cast<std::size_t>(written);
    } else if (cause != EINTR && cause != EAGAIN) {
      failed = true;
      lost = lines_left();
      discard();
      // Under the lock: nobody logs once abandon() has returned, as the program may be ending.
      spdlog::error("predictions cannot be written to standard output: {}", std::strerror(cause));
      return;
    }
    if (is_worth_waking()) room.notify_all();
  }
}

ReplyWriter::ReplyWriter(int descriptor, std::size_t limit)
    : shared_(std::make_shared<Shared>(descriptor, limit)), thread_([shared = shared_] { shared->run(); }) {}

ReplyWriter::~ReplyWriter() { abandon(); }

void ReplyWriter::expect(std::size_t input_bytes) {
  const std::lock_guard lock(shared_->mutex);
  shared_->expected += input_bytes;
}

void ReplyWriter::append(std::size_t input_bytes, std::string_view replies) {
  Shared& s = *shared_;
  bool writes = false;
  bool wakes = false;
  {
    const std::lock_guard lock(s.mutex);
    s.expected -= input_bytes;
    if (s.failed) {
      s.lost += static_cast<std::size_t>(std::ranges::count(replies, '\n'));
    } else if (!s.abandoned && !replies.empty()) {
      s.backlog += replies;
      writes = true;
    }
    wakes = s.is_worth_waking();
  }
  if (writes) s.work.notify_one();
  if (wakes) s.room.notify_all();
}

bool ReplyWriter::wait_for_room(const std::atomic<bool>& stopping) {
  Shared& s = *shared_;
  std::unique_lock lock(s.mutex);
  if (!stopping && !s.has_room(s.limit)) {
    ++s.waiting;
    s.room.wait(lock, [&] { return stopping || s.has_room(s.limit / 2 + 1); });
    --s.waiting;
  }
  return !stopping;
}

void ReplyWriter::wake() {
  const std::lock_guard lock(shared_->mutex);
  shared_->room.notify_all();
}

bool ReplyWriter::idle() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->backlog.empty() && shared_->unwritten == 0;
}

std::size_t ReplyWriter::lost() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->lost;
}

std::size_t ReplyWriter::abandon() {
  if (!thread_.joinable()) return 0;
  bool hangs = false;
  std::size_t lines = 0;
  {
    Shared& s = *shared_;
    const std::lock_guard lock(s.mutex);
    s.abandoned = true;
    hangs = s.in_system;
    lines = s.lines_left();
    s.discard();
    s.work.notify_one();
  }
  if (hangs) {
    thread_.detach();
  } else {
    thread_.join();
  }
  return lines;
}

}  // namespace glimpse
