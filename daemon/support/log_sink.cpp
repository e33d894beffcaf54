#include "daemon/support/log_sink.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <poll.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/text/text.h"

namespace glimpse {

namespace {

class Priority final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& to) override {
    to.push_back(digit(message.level));
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<Priority>(); }

 private:
  static char digit(spdlog::level::level_enum level) {
    switch (level) {
      case spdlog::level::critical:
        return '2';
      case spdlog::level::err:
        return '3';
      case spdlog::level::warn:
        return '4';
      case spdlog::level::info:
        return '6';
      default:
        return '7';
    }
  }
};

// The message, on one line.
class Message final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& to) override {
    const std::string text = printable({message.payload.data(), message.payload.size()});
    to.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<Message>(); }
};

}  // namespace

// The journal names the device and the inode of what it gave; standard error may have been redirected since.
bool writes_to_journal() {
  const char* const journal = std::getenv("JOURNAL_STREAM");
  struct stat status{};
  return journal != nullptr && ::fstat(STDERR_FILENO, &status) == 0 &&
         fmt::format("{}:{}", status.st_dev, status.st_ino) == std::string_view(journal);
}

std::unique_ptr<spdlog::formatter> log_formatter() {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<Priority>('*').add_flag<Message>('~');
  formatter->set_pattern(writes_to_journal() ? "<%*>%l %~" : "%Y-%m-%dT%H:%M:%S.%e %l %~");
  return formatter;
}

namespace {
constexpr std::uint64_t kMostASecond = 10;
}

LogLimit::~LogLimit() { tell_left_out(); }

void LogLimit::warn(const std::string& message, Clock::time_point now) {
  if (in_window_ == 0 || now - window_ > std::chrono::seconds(1)) {
    tell_left_out();
    window_ = now;
    in_window_ = 0;
  }
  if (++in_window_ > kMostASecond) {
    ++left_out_;
    return;
  }
  spdlog::warn("{}", message);
}

void LogLimit::tell_left_out() {
  if (left_out_ > 0) spdlog::warn("{} more warnings like this were left out", left_out_);
  left_out_ = 0;
}

namespace {
std::atomic<std::uint64_t> dropped_lines{0};
}  // namespace

std::uint64_t dropped_log_lines() noexcept { return dropped_lines.load(std::memory_order_relaxed); }

void write_to_log(std::string_view lines) {
  const auto& sinks = spdlog::default_logger_raw()->sinks();
  if (auto* const sink = sinks.empty() ? nullptr : dynamic_cast<LogSink*>(sinks.front().get()))
    return sink->write(lines);
  std::fwrite(lines.data(), 1, lines.size(), stderr);
}

// What the thread needs, which outlives the sink where the system keeps the thread.
struct LogSink::Shared {
  explicit Shared(int to) : descriptor(to) {
    waiting.reserve(kMost);  // all that is ever taken
    writing.reserve(kMost);
  }

  const int descriptor;
  std::mutex mutex;
  std::condition_variable changed;
  std::string waiting;        // under mutex, as all below
  std::string writing;        // changed by the thread alone
  std::uint64_t dropped = 0;  // since a line said how many
  bool in_system = false;     // the thread is inside poll() or write()
  bool ends = false;

  bool is_done() const { return waiting.empty() && writing.empty() && dropped == 0; }
  void drop(std::string_view lines) {
    const auto count = static_cast<std::uint64_t>(std::count(lines.begin(), lines.end(), '\n'));
    dropped += count;
    dropped_lines.fetch_add(count, std::memory_order_relaxed);
  }
  void add(std::string_view lines) {
    const std::lock_guard lock(mutex);
    if (dropped > 0 || lines.size() > kMost - waiting.size()) return drop(lines);
    waiting += lines;
    changed.notify_all();
  }
  void tell_dropped();
  bool write_some(std::unique_lock<std::mutex>& lock);
  void run();
};

void LogSink::Shared::tell_dropped() {
  spdlog::memory_buf_t line;
  const std::string text =
      fmt::format("{} lines of the log were dropped: nobody read standard error", dropped);
  log_formatter()->format({{}, spdlog::level::warn, text}, line);
  writing.assign(line.data(), line.size());
  dropped = 0;
}

// A pipe that poll() calls writable takes PIPE_BUF bytes without waiting. False: nobody will ever read it.
bool LogSink::Shared::write_some(std::unique_lock<std::mutex>& lock) {
  in_system = true;
  lock.unlock();
  pollfd writable{descriptor, POLLOUT, 0};
  // Whole lines: other processes may write there as well.
  const std::string_view most = std::string_view(writing).substr(0, PIPE_BUF);
  const std::size_t end = most.rfind('\n');
  ssize_t written = ::poll(&writable, 1, -1);
  if (written > 0) written = ::write(descriptor, most.data(), end == most.npos ? most.size() : end + 1);
  const int cause = errno;
  lock.lock();
  in_system = false;
  if (written > 0) writing.erase(0, static_cast<std::size_t>(written));
  return written >= 0 || cause == EINTR || cause == EAGAIN;
}

void LogSink::Shared::run() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [this] { return ends || !is_done(); });
    if (ends) return;
    try {
      if (writing.empty() && waiting.empty()) tell_dropped();
    } catch (const std::bad_alloc&) {  // another time
      changed.wait_for(lock, std::chrono::seconds(1));
      continue;
    }
    if (writing.empty()) writing.swap(waiting);
    if (!write_some(lock)) {
      drop(writing);
      drop(waiting);
      writing.clear();
      waiting.clear();
      dropped = 0;
    }
    if (ends) return;
    if (is_done()) changed.notify_all();
  }
}

LogSink::LogSink(int descriptor) : shared_(std::make_shared<Shared>(descriptor)) {
  set_formatter(log_formatter());
  // Signals are for the other threads.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([shared = shared_] { shared->run(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LogSink::~LogSink() {
  LogSink::flush_();
  bool hangs = false;
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->ends = true;
    hangs = shared_->in_system;
    shared_->changed.notify_all();
  }
  hangs ? thread_.detach() : thread_.join();
}

void LogSink::write(std::string_view lines) { shared_->add(lines); }

void LogSink::sink_it_(const spdlog::details::log_msg& message) {
  spdlog::memory_buf_t line;
  formatter_->format(message, line);
  shared_->add({line.data(), line.size()});
}

void LogSink::flush_() {
  std::unique_lock lock(shared_->mutex);
  shared_->changed.wait_for(lock, kPatience, [this] { return shared_->is_done(); });
}

}  // namespace glimpse
