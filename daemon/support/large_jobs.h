#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace glimpse {

/// Threads for requests that take long: to read a large body, or to write a large answer. Each request has
/// one to itself, so that it may take its time and wait for the trainer (trainer_turn.h), up to kAtOnce of
/// them; more wait until one of these is done. Threads are started when they are needed. Who else wants the
/// processor comes first: their priority is lower than that of the threads for which everybody waits.
/// Thread-safety: full.
class LargeJobs {
 public:
  static constexpr std::size_t kAtOnce = 8;
  using Work = std::function<void()>;

  LargeJobs() = default;
  LargeJobs(const LargeJobs&) = delete;
  LargeJobs& operator=(const LargeJobs&) = delete;
  ~LargeJobs() { join(); }

  /// Runs `work`. Without memory for it, or without a thread, `work` is destroyed, and what it holds tells
  /// the client.
  void post(Work work);

  /// Waits until all are done; what is still posted goes.
  void join();

 private:
  bool has_thread();
  void run();

  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<Work> waiting_;          // under mutex_
  std::vector<std::thread> threads_;  // under mutex_
  std::size_t idle_ = 0;              // under mutex_: threads that wait for work
  bool ends_ = false;                 // under mutex_
};

}  // namespace glimpse
