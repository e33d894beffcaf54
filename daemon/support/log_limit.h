#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace glimpse {

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

}  // namespace glimpse
