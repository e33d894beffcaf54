#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "daemon/reading/read_job.h"

namespace glimpse {

/// Threads that read records ahead of the trainer: `--threads` less one, as the trainer reads as well. They
/// sleep while there is nothing to read. Thread-safety: full.
class ReadingThreads final : public ReadJobs {
 public:
  /// Starts `count` ≥ 1 threads. Fewer where the system gives no more.
  explicit ReadingThreads(std::size_t count);
  /// Waits for jobs that run; the others never will.
  ~ReadingThreads() override;

  std::size_t threads() const override { return count_; }
  void post(std::span<const std::shared_ptr<ReadJob>> jobs) override;

 private:
  void run();

  const std::size_t count_;
  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<std::shared_ptr<ReadJob>> waiting_;  // under mutex_
  std::size_t idle_ = 0;                          // under mutex_: threads that sleep
  bool ends_ = false;                             // under mutex_
  std::vector<std::thread> threads_;
};

}  // namespace glimpse
