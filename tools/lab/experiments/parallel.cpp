#include "lab/experiments/parallel.h"

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

namespace {
std::string counts(const std::string& title, std::size_t done, std::size_t count) {
  return fmt::format("{}: {} of {} done", title, done, count);
}
}  // namespace

Progress::Progress(std::string title, std::size_t count, bool quiet)
    : title_(std::move(title)),
      quiet_(quiet),
      begin_(std::chrono::steady_clock::now()),
      count_(count),
      shown_(begin_) {}

Progress::~Progress() {
  if (quiet_ || count_ == 0) return;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
  fmt::print(stderr, "\r{} in {:.0f} s{:20}\n", counts(title_, computed_ + skipped_, count_), spent.count(),
             "");
}

void Progress::expect(std::size_t more) {
  const std::lock_guard lock(mutex_);
  count_ += more;
}

void Progress::advance() {
  {
    const std::lock_guard lock(mutex_);
    ++computed_;
  }
  show();
}

void Progress::skip(std::size_t count) {
  {
    const std::lock_guard lock(mutex_);
    skipped_ += count;
  }
  show();
}

std::size_t Progress::computed() const {
  const std::lock_guard lock(mutex_);
  return computed_;
}

std::string Progress::line(double seconds) const {
  const std::lock_guard lock(mutex_);
  const std::size_t done = computed_ + skipped_;
  std::string text = counts(title_, done, count_);
  if (computed_ == 0) return text;
  const double rest = static_cast<double>(count_ - std::min(done, count_));
  return text + fmt::format(", {:.0f} s left", seconds / static_cast<double>(computed_) * rest);
}

void Progress::show() {
  const auto now = std::chrono::steady_clock::now();
  {
    const std::lock_guard lock(mutex_);
    if (quiet_ || now - shown_ < std::chrono::milliseconds(500)) return;
    shown_ = now;
  }
  const std::chrono::duration<double> spent = now - begin_;
  const std::string text = line(spent.count());
  const std::lock_guard lock(mutex_);
  fmt::print(stderr, "\r{}   ", text);
  std::fflush(stderr);
}

}  // namespace glimpse
