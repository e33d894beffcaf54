#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <spdlog/formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <string>
#include <string_view>
#include <thread>

namespace glimpse {

/// How lines of the log look: time, level and message, each on one line (printable()). Where standard error
/// is the journal's, which has its own time, a priority of sd-daemon(3) in place of the time: "<4>warning
/// ...".
std::unique_ptr<spdlog::formatter> log_formatter();

/// Whether standard error is the journal of systemd, where a line begins with its priority ("<3>": an error).
bool writes_to_journal();

/// Warnings that clients can bring about as often as they like: the first few of a second are logged, of the
/// others their number, so that nobody fills the disk. Thread-safety: none.
class LogLimit {
 public:
  using Clock = std::chrono::steady_clock;

  void warn(const std::string& message) { warn(message, Clock::now()); }
  void warn(const std::string& message, Clock::time_point now);
  /// Says how many were left out, when that is known.
  ~LogLimit();
  LogLimit() = default;
  LogLimit(const LogLimit&) = delete;
  LogLimit& operator=(const LogLimit&) = delete;

 private:
  void tell_left_out();

  Clock::time_point window_{};
  std::uint64_t in_window_ = 0;
  std::uint64_t left_out_ = 0;
};

/// Lines on their way to standard error, or another descriptor. A thread writes them, so that nobody waits
/// for a pipe that is not read. Up to kMost bytes wait; lines that come then are dropped and counted until
/// all that waits is written, and a line then says how many. Lines stay whole and in order. Thread-safety:
/// full.
class LogSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  static constexpr std::size_t kMost = std::size_t{256} << 10;
  static constexpr std::chrono::seconds kPatience{2};

  explicit LogSink(int descriptor);
  /// flush(), and what is left then is dropped.
  ~LogSink() override;
  LogSink(const LogSink&) = delete;
  LogSink& operator=(const LogSink&) = delete;

  /// A text as it is, of whole lines.
  void write(std::string_view lines);

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override;
  /// Waits until everything is written, but not for longer than kPatience.
  void flush_() override;

 private:
  struct Shared;
  const std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

/// A text as it is behind the lines of the default logger, where that writes to a LogSink; to standard error
/// otherwise.
void write_to_log(std::string_view lines);

/// Lines of all logs that were dropped since the start.
std::uint64_t dropped_log_lines() noexcept;

}  // namespace glimpse
