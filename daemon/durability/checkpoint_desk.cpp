#include "daemon/durability/checkpoint_desk.h"

#include <new>
#include <utility>

#include "daemon/support/memory_trouble.h"

namespace glimpse {

using boost::system::error_code;

CheckpointDesk::CheckpointDesk(boost::asio::io_context& io, Make make)
    : make_(std::move(make)), due_(io), second_(io) {}

void CheckpointDesk::ask(std::weak_ptr<CheckpointWaiter> waiter) {
  if (stopped_) return;
  if (waiting_.empty() && !busy_) promised_ = Clock::now();
  waiting_.push_back(std::move(waiter));
  await_second();
  begin_when_due();
}

void CheckpointDesk::stop() {
  stopped_ = true;
  waiting_.clear();
  due_.cancel();
  second_.cancel();
}

void CheckpointDesk::begin_when_due() {
  if (busy_ || due_set_ || waiting_.empty() || stopped_) return;
  // Through the timer in any case: those who ask in the same moment share one.
  due_.expires_at(pace_.earliest());
  due_.async_wait([this](const error_code&) {
    due_set_ = false;
    if (!stopped_) begin();
  });
  due_set_ = true;
}

void CheckpointDesk::begin() {
  served_ = std::exchange(waiting_, {});
  std::erase_if(served_, [](const auto& waiter) { return waiter.expired(); });
  if (served_.empty()) return;
  busy_ = true;
  pace_.began(Clock::now());
  tell(served_, [](CheckpointWaiter& waiter) { waiter.checkpoint_begins(); });
  try {
    make_([this](const Status& status) { end(status); });
  } catch (const std::bad_alloc&) {
    note_memory_trouble("a checkpoint was not made");
    end(Error{ErrorCode::kSystem, "no memory"});  // so short that it takes none
  }
}

void CheckpointDesk::end(const Status& status) {
  const auto now = Clock::now();
  busy_ = false;
  pace_.ended(now, status.has_value());
  promised_ = now;
  tell(std::exchange(served_, {}), [&](CheckpointWaiter& waiter) { waiter.checkpoint_ended(status); });
  begin_when_due();
}

void CheckpointDesk::await_second() {
  if (second_set_ || stopped_) return;
  second_.expires_after(std::chrono::seconds(1));
  second_.async_wait([this](const error_code&) {
    second_set_ = false;
    if (stopped_ || (waiting_.empty() && served_.empty())) return;
    await_second();
    if (Clock::now() - promised_ > kLongestPromise) return;
    const auto pending = [](CheckpointWaiter& waiter) { waiter.checkpoint_pending(); };
    // Copies: a waiter that is told may ask again, which changes these lists.
    tell(Waiters(waiting_), pending);
    tell(Waiters(served_), pending);
  });
  second_set_ = true;
}

template <class Tell>
void CheckpointDesk::tell(const Waiters& waiters, Tell&& tell) {
  for (const auto& weak : waiters)
    if (const auto waiter = weak.lock()) tell(*waiter);
}

}  // namespace glimpse
