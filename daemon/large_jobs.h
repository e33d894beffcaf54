#pragma once

#include <cstddef>
#include <sys/resource.h>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include "daemon/memory_trouble.h"

namespace glimpse {

/// Threads for requests that take long: to read a large body, or to write a large answer. Each request has
/// one to itself, so that it may take its time and wait for the trainer (trainer_turn.h), up to kAtOnce of
/// them; more wait until one of these is done. Who else wants the processor comes first: their priority is
/// lower than that of the threads for which everybody waits. Thread-safety: full.
class LargeJobs {
 public:
  static constexpr std::size_t kAtOnce = 8;

  /// Runs `work`. Where there is no memory for it, it goes, and with it says so to whoever asked.
  template <class Work>
  void post(Work work) {
    boost::asio::post(threads_, [work = std::move(work)]() mutable {
      step_back();
      if_memory_allows("a large answer or request was given up", work);
    });
  }

  /// Waits until all are done. Nothing may be posted any more.
  void join() { threads_.join(); }

 private:
  static constexpr int kNiceness = 5;  // a third of the weight of the others

  static void step_back() {
    thread_local bool has_stepped_back = false;
    if (!std::exchange(has_stepped_back, true))
      ::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, 0) + kNiceness);  // of this thread alone
  }

  boost::asio::thread_pool threads_{kAtOnce};
};

}  // namespace glimpse
