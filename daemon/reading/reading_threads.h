#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "base/helpers.h"
#include "daemon/reading/read_job.h"

namespace glimpse {

/// Threads that read records ahead of the trainer: `--threads` less one, as the trainer reads as well. While
/// there is nothing to read they help it to learn, else they sleep. Thread-safety: full.
class ReadingThreads final : public ReadJobs, public Helpers {
 public:
  /// Starts `count` ≥ 1 threads. Fewer where the system gives no more.
  explicit ReadingThreads(std::size_t count);
  /// Waits for jobs and parts of work that run; the others never will.
  ~ReadingThreads() override;

  std::size_t threads() const override { return count_; }
  void post(std::span<const std::shared_ptr<ReadJob>> jobs) override;
  void post(std::shared_ptr<SharedWork> work) override;

 private:
  struct Work {
    std::shared_ptr<SharedWork> work;
    std::uint64_t post = 0;  // the number of its last post: there may be new parts
  };

  void run();
  void help(std::unique_lock<std::mutex>& lock);

  const std::size_t count_;
  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<std::shared_ptr<ReadJob>> waiting_;  // under mutex_
  std::uint64_t posts_ = 0;                       // under mutex_: of work
  std::vector<Work> works_;                       // under mutex_: of which parts may be left
  std::size_t idle_ = 0;                          // under mutex_: threads that sleep
  bool ends_ = false;                             // under mutex_
  std::vector<std::thread> threads_;
};

}  // namespace glimpse
