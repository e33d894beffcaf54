#include "daemon/reading/reading_threads.h"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

namespace glimpse {

ReadingThreads::ReadingThreads(std::size_t count) : count_(count) {
  try {
    for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this] { run(); });
  } catch (const std::system_error&) {
    // What is not read ahead the trainer reads.
  }
}

ReadingThreads::~ReadingThreads() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  news_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ReadingThreads::post(std::span<const std::shared_ptr<ReadJob>> jobs) {
  std::size_t woken = 0;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& job : jobs) {
      waiting_.push_back(job);  // may throw: the job then stays idle
      job->note_posted();
    }
    woken = std::min(idle_, jobs.size());
  }
  for (; woken > 0; --woken) news_.notify_one();
}

void ReadingThreads::post(std::shared_ptr<SharedWork> work) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find(works_, work, &Work::work);
    if (known != works_.end()) {
      known->post = ++posts_;
    } else {
      try {
        works_.push_back({std::move(work), ++posts_});
      } catch (const std::bad_alloc&) {
        return;  // the thread that posts does all parts
      }
    }
    if (idle_ == 0) return;
  }
  news_.notify_all();
}

void ReadingThreads::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    while (waiting_.empty() && works_.empty() && !ends_) {
      ++idle_;
      news_.wait(lock);
      --idle_;
    }
    if (ends_) return;
    if (!waiting_.empty()) {
      std::shared_ptr<ReadJob> job = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      job->run();
      job.reset();
      lock.lock();
    } else {
      help(lock);
    }
  }
}

void ReadingThreads::help(std::unique_lock<std::mutex>& lock) {
  const Work of = works_.front();
  lock.unlock();
  const bool had_parts = of.work->help();
  lock.lock();
  if (had_parts) return;
  std::erase_if(works_, [&](const Work& work) { return work.work == of.work && work.post == of.post; });
}

}  // namespace glimpse
