#include "daemon/block_queue.h"

#include <utility>

namespace glimpse {

void BlockQueue::admit(Block&& block) {
  bytes_.fetch_add(block.bytes.size(), std::memory_order_relaxed);
  blocks_.push_back(std::move(block));
}

// The trainer is woken when the mutex is free again: it would wake only to wait for that.

bool BlockQueue::push(Block& block, bool again, std::function<void()> room) {
  {
    const std::lock_guard lock(mutex_);
    if (again) --trying_again_;
    if (!closed_ && bytes() > 0 && bytes() + block.bytes.size() > limit_) {
      waiting_.push_back(std::move(room));
      ++trying_again_;
      return false;
    }
    if (!discarding_) admit(std::move(block));
  }
  work_.notify_one();
  return true;
}

void BlockQueue::push_blocking(Block block) {
  {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return closed_ || bytes() == 0 || bytes() + block.bytes.size() <= limit_; });
    if (!discarding_) admit(std::move(block));
  }
  work_.notify_one();
}

void BlockQueue::post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    has_tasks_.store(true, std::memory_order_relaxed);
  }
  work_.notify_one();
}

void BlockQueue::post_rest(Task task) {
  {
    const std::lock_guard lock(mutex_);
    rests_.push_back(std::move(task));
    rests_turn_ = false;
  }
  work_.notify_one();
}

std::optional<Block> BlockQueue::pop(std::optional<std::chrono::steady_clock::time_point> until) {
  std::unique_lock lock(mutex_);
  const auto ready = [&] {
    return !tasks_.empty() || !rests_.empty() || !blocks_.empty() ||
           (closed_ && (trying_again_ == 0 || discarding_));
  };
  if (until) {
    work_.wait_until(lock, *until, ready);
  } else {
    work_.wait(lock, ready);
  }
  if (!rests_.empty() && (rests_turn_ || blocks_.empty())) {
    for (Task& task : std::exchange(rests_, {})) tasks_.push_back(std::move(task));
    has_tasks_.store(true, std::memory_order_relaxed);
  }
  if (!tasks_.empty() || blocks_.empty()) return std::nullopt;
  rests_turn_ = true;
  Block block = std::move(blocks_.front());
  blocks_.pop_front();
  return block;
}

void BlockQueue::release(std::size_t bytes) {
  std::vector<std::function<void()>> waiting;
  {
    const std::lock_guard lock(mutex_);
    bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    waiting.swap(waiting_);
    room_.notify_all();
  }
  for (const auto& room : waiting) room();
}

std::vector<BlockQueue::Task> BlockQueue::take_tasks() {
  const std::lock_guard lock(mutex_);
  has_tasks_.store(false, std::memory_order_relaxed);
  return std::exchange(tasks_, {});
}

void BlockQueue::close() {
  std::vector<std::function<void()>> waiting;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    waiting.swap(waiting_);
    work_.notify_all();
    room_.notify_all();
  }
  for (const auto& room : waiting) room();
}

void BlockQueue::discard() {
  {
    const std::lock_guard lock(mutex_);
    discarding_ = true;
    for (const Block& block : blocks_) bytes_.fetch_sub(block.bytes.size(), std::memory_order_relaxed);
    blocks_.clear();
  }
  close();
}

bool BlockQueue::finished() {
  const std::lock_guard lock(mutex_);
  return closed_ && blocks_.empty() && tasks_.empty() && rests_.empty() &&
         (trying_again_ == 0 || discarding_);
}

}  // namespace glimpse
