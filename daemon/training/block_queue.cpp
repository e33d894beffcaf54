#include "daemon/training/block_queue.h"

#include <utility>

#include "daemon/support/memory_trouble.h"

namespace glimpse {

namespace {
constexpr std::chrono::milliseconds kHeldLook{5};  // who lets go tells nobody
}  // namespace

void BlockQueue::admit(Block&& block) {
  blocks_.push_back(std::move(block));  // first: without memory for it, it is not counted either
  const Block& admitted = blocks_.back();
  if (admitted.feed) admitted.feed->waiting.fetch_add(1, std::memory_order_relaxed);
  bytes_.fetch_add(admitted.bytes.size(), std::memory_order_relaxed);
}

// Nobody but its own door pushes blocks of a feed, so what it counts can only become less meanwhile.
bool BlockQueue::goes_amid(const Block& block) const {
  return stand_in_.work_amid && block.feed && block.bytes.size() <= kSmallBlock && !block.cut_off &&
         block.feed->waiting.load(std::memory_order_relaxed) == 0 && bytes() > 0 && amid_bytes_ < kSmallBlock;
}

// The trainer is woken when the mutex is free again: it would wake only to wait for that.

bool BlockQueue::push(Block& block, bool again, std::function<void()> room) {
  if (!again && block.bytes.size() <= kSmallBlock && take_turn()) {
    if (stand_in_.may_work(block)) {
      if (block.feed) block.feed->waiting.fetch_add(1, std::memory_order_relaxed);
      bytes_.fetch_add(block.bytes.size(), std::memory_order_relaxed);
      std::optional<Time> until;
      try {
        until = stand_in_.work(std::move(block));
      } catch (...) {
        give_back(std::nullopt);
        throw;
      }
      give_back(until);
      return true;
    }
    give_back(std::nullopt);
  }
  {
    const std::lock_guard lock(mutex_);
    if (again) --trying_again_;
    if (!again && !closed_ && goes_amid(block)) {
      const std::size_t size = block.bytes.size();
      const std::shared_ptr<Feed> feed = block.feed;
      // First: without memory for it, it is not counted either.
      tasks_.push_back([this, amid = std::move(block)](StreamProcessor&) { stand_in_.work_amid(amid); });
      feed->waiting.fetch_add(1, std::memory_order_relaxed);
      bytes_.fetch_add(size, std::memory_order_relaxed);
      amid_bytes_ += size;
      has_tasks_.store(true, std::memory_order_relaxed);
      work_.notify_one();
      return true;
    }
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

void BlockQueue::leave() {
  {
    const std::lock_guard lock(mutex_);
    --trying_again_;
  }
  work_.notify_one();
}

std::shared_ptr<const void> BlockQueue::hold() {
  held_->fetch_add(1);
  return {held_.get(), [held = held_](const void*) { held->fetch_sub(1); }};
}

void BlockQueue::push_blocking(Block block) {
  {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return closed_ || bytes() == 0 || bytes() + block.bytes.size() <= limit_; });
    if (!discarding_) admit(std::move(block));
  }
  work_.notify_one();
}

bool BlockQueue::push_within(Block& block, std::chrono::milliseconds patience) {
  {
    std::unique_lock lock(mutex_);
    const auto has_room = [&] { return closed_ || bytes() == 0 || bytes() + block.bytes.size() <= limit_; };
    if (!room_.wait_for(lock, patience, has_room)) return false;
    if (!discarding_) admit(std::move(block));
  }
  work_.notify_one();
  return true;
}

void BlockQueue::post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    tasks_.push_back(std::move(task));
    has_tasks_.store(true, std::memory_order_relaxed);
  }
  work_.notify_one();
}

void BlockQueue::post_short(Task task) {
  if (take_turn()) {
    give_back(stand_in_.run(task));
  } else {
    post(std::move(task));
  }
}

void BlockQueue::post_rest(Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    rests_.push_back(std::move(task));
    rests_turn_ = false;
  }
  work_.notify_one();
}

bool BlockQueue::has_work() const {
  return !tasks_.empty() || !rests_.empty() || !blocks_.empty() ||
         (closed_ && (!awaits_more() || discarding_));
}

bool BlockQueue::awaits_more() const { return trying_again_ > 0 || *held_ > 0; }

bool BlockQueue::take_turn() {
  if (!stand_in_.run) return false;
  const std::lock_guard lock(mutex_);
  if (!idle_ || stood_in_ || has_work() || closed_ || (until_ && *until_ <= std::chrono::steady_clock::now()))
    return false;
  stood_in_ = true;
  return true;
}

// The trainer sleeps on unless there is something to do, or it is to wake sooner than it knows.
void BlockQueue::give_back(std::optional<Time> until) {
  bool wakes = false;
  {
    const std::lock_guard lock(mutex_);
    stood_in_ = false;
    const bool sooner = until && (!until_ || *until < *until_);
    if (sooner) until_ = until;
    wakes = sooner || has_work() || closed_ || (until_ && *until_ <= std::chrono::steady_clock::now());
  }
  if (wakes) work_.notify_one();
}

std::optional<Block> BlockQueue::pop(std::optional<Time> until) {
  std::unique_lock lock(mutex_);
  until_ = until;
  idle_ = true;
  while (stood_in_ || !has_work()) {
    if (closed_ && *held_ > 0) {
      work_.wait_for(lock, kHeldLook);
    } else if (stood_in_ || !until_) {
      work_.wait(lock);
    } else if (std::chrono::steady_clock::now() >= *until_) {
      break;
    } else {
      const Time end = *until_;  // which may be changed meanwhile
      work_.wait_until(lock, end);
    }
  }
  idle_ = false;
  if (!rests_.empty() && (rests_turn_ || blocks_.empty())) {
    if_memory_allows("a large request is answered later", [this] {
      tasks_.reserve(tasks_.size() + rests_.size());  // first: nothing fails behind it
      for (Task& task : std::exchange(rests_, {})) tasks_.push_back(std::move(task));
    });
    has_tasks_.store(true, std::memory_order_relaxed);
  }
  if (!tasks_.empty() || blocks_.empty()) return std::nullopt;
  rests_turn_ = true;
  Block block = std::move(blocks_.front());
  blocks_.pop_front();
  amid_bytes_ = 0;
  return block;
}

std::optional<TextOfLines> BlockQueue::following(const Feed& feed) {
  const std::lock_guard lock(mutex_);
  if (blocks_.empty()) return std::nullopt;
  const Block& next = blocks_.front();
  if (next.feed.get() != &feed || next.cut_off || next.messages || next.lost != nullptr) return std::nullopt;
  return TextOfLines{next.bytes, next.lengths};
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

void BlockQueue::end() {
  std::vector<Task> left;
  std::vector<Task> rests;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    left.swap(tasks_);
    rests.swap(rests_);
    has_tasks_.store(false, std::memory_order_relaxed);
  }
}

bool BlockQueue::finished() {
  const std::lock_guard lock(mutex_);
  return closed_ && blocks_.empty() && tasks_.empty() && rests_.empty() && (!awaits_more() || discarding_);
}

}  // namespace glimpse
