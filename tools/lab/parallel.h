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
/// `quiet`. Thread-safe.
class Progress {
 public:
  Progress(std::string title, std::size_t count, bool quiet);
  /// Ends the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// One job is done.
  void advance();

 private:
  const std::string title_;
  const std::size_t count_;
  const bool quiet_;
  const std::chrono::steady_clock::time_point begin_;

  std::mutex mutex_;  // protects what follows, and the line
  std::size_t done_ = 0;
  std::chrono::steady_clock::time_point shown_;
};

}  // namespace glimpse
