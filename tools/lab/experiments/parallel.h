#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>

#include "base/result.h"

namespace glimpse {

/// Calls `job(i)` for i = 0 … count − 1 on up to `threads` threads, each i once. After an Error no further
/// job begins, and the Error of the smallest i that failed is returned. The jobs' order is not fixed, so what
/// they compute must not depend on it.
Status parallel_for(std::size_t count, std::size_t threads, const std::function<Status(std::size_t)>& job);

/// One line on standard error that says how much is done and how long the rest may take; nothing when
/// `quiet`. The rate is that of jobs that were computed: those whose result was kept from an earlier call
/// cost next to nothing, and say nothing of the rest. Thread-safe.
class Progress {
 public:
  Progress(std::string title, std::size_t count, bool quiet);
  /// Ends the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// There are more jobs than were known of.
  void expect(std::size_t more);
  /// One job was computed.
  void advance();
  /// So many jobs need not be computed.
  void skip(std::size_t count = 1);

  std::size_t computed() const;
  /// "running: 20 of 100 done, 40 s left" when `seconds` have passed since the beginning; what is left only
  /// once something was computed.
  std::string line(double seconds) const;

 private:
  void show();

  const std::string title_;
  const bool quiet_;
  const std::chrono::steady_clock::time_point begin_;

  mutable std::mutex mutex_;  // protects what follows, and the line on standard error
  std::size_t count_;
  std::size_t computed_ = 0;
  std::size_t skipped_ = 0;
  std::chrono::steady_clock::time_point shown_;
};

}  // namespace glimpse
