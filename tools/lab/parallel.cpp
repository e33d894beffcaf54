#include "lab/parallel.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fmt/format.h>
#include <thread>
#include <utility>
#include <vector>

namespace glimpse {

Status parallel_for(std::size_t count, std::size_t threads, const std::function<Status(std::size_t)>& job) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::size_t failed_at = count;
  Status result;
  const auto work = [&] {
    while (!failed) {
      const std::size_t i = next++;
      if (i >= count) return;
      Status status = job(i);
      if (status) continue;
      failed = true;
      const std::lock_guard lock(mutex);
      if (i < failed_at) {
        failed_at = i;
        result = status;
      }
    }
  };
  std::vector<std::jthread> others;
  for (std::size_t t = 1; t < std::min(threads, count); ++t) others.emplace_back(work);
  work();
  others.clear();
  return result;
}

Progress::Progress(std::string title, std::size_t count, bool quiet)
    : title_(std::move(title)),
      count_(count),
      quiet_(quiet || count == 0),
      begin_(std::chrono::steady_clock::now()),
      shown_(begin_) {}

Progress::~Progress() {
  if (quiet_) return;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
  fmt::print(stderr, "\r{}: {} of {} done in {:.0f} s{:20}\n", title_, done_, count_, spent.count(), "");
}

void Progress::advance() {
  const std::lock_guard lock(mutex_);
  ++done_;
  const auto now = std::chrono::steady_clock::now();
  if (quiet_ || now - shown_ < std::chrono::milliseconds(500)) return;
  shown_ = now;
  const std::chrono::duration<double> spent = now - begin_;
  const double left = spent.count() / static_cast<double>(done_) * static_cast<double>(count_ - done_);
  fmt::print(stderr, "\r{}: {} of {} done, {:.0f} s left   ", title_, done_, count_, left);
  std::fflush(stderr);
}

}  // namespace glimpse
