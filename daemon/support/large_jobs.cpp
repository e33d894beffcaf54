#include "daemon/support/large_jobs.h"

#include <exception>
#include <sys/resource.h>
#include <utility>

#include "daemon/support/memory_trouble.h"

namespace glimpse {

namespace {

constexpr const char* kGivenUp = "a large answer or request was refused";
constexpr int kJobNiceness = 5;  // a third of the weight of the others

}  // namespace

void LargeJobs::post(Work work) {
  {
    const std::lock_guard lock(mutex_);
    if (ends_) return;
    if (has_thread()) {
      waiting_.push_back(std::move(work));
      news_.notify_one();
      return;
    }
  }
  note_memory_trouble(kGivenUp);
}

// Of its own, or, where no more can be had, one that is at work already.
bool LargeJobs::has_thread() {
  if (idle_ > waiting_.size() || threads_.size() == kAtOnce) return true;
  try {
    threads_.reserve(kAtOnce);
    threads_.emplace_back([this] { run(); });
  } catch (const std::exception&) {  // no thread, or no memory for one
    return !threads_.empty();
  }
  return true;
}

void LargeJobs::join() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    threads.swap(threads_);
    news_.notify_all();
  }
  for (std::thread& thread : threads) thread.join();
}

void LargeJobs::run() {
  ::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, 0) + kJobNiceness);  // of this thread alone
  for (;;) {
    Work work;
    {
      std::unique_lock lock(mutex_);
      ++idle_;
      news_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
      --idle_;
      if (waiting_.empty()) return;
      work = std::move(waiting_.front());
      waiting_.pop_front();
    }
    if_memory_allows(kGivenUp, work);
  }
}

}  // namespace glimpse
