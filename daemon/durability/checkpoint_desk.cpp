#include "daemon/durability/checkpoint_desk.h"

#include <algorithm>
#include <utility>

#include <boost/asio/bind_allocator.hpp>

#include "daemon/support/memory_trouble.h"
#include "daemon/support/prepared_post.h"

namespace glimpse {

void CheckpointPace::ended(Time now, bool succeeded) {
  const auto rest = (now - began_) / percent_ * (100 - percent_);
  earliest_ = now + rest;
  retry_ = succeeded ? std::chrono::seconds(0) : std::clamp(2 * retry_, kFirstRetry, kLastRetry);
  earliest_ = std::max(earliest_, now + retry_);
}

using boost::system::error_code;

// Ends a checkpoint also where nobody reports how it went: there was no memory for that.
struct CheckpointDesk::Ending {
  explicit Ending(CheckpointDesk& of) : desk(of) {}
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;
  ~Ending() {
    if (is_reported) return;
    post(desk.io_, [&desk = desk] {
      if_memory_allows("sources were not sent the reason why a checkpoint failed",
                       [&] { desk.end(Error{ErrorCode::kSystem, "no memory"}); });
    });
  }
  void report(const Status& status) {
    is_reported = true;
    desk.end(status);
  }

  CheckpointDesk& desk;
  PreparedPost post;
  bool is_reported = false;
};

CheckpointDesk::CheckpointDesk(boost::asio::io_context& io, Make make)
    : io_(io), make_(std::move(make)), due_(io), second_(io) {}

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
  const auto ending = std::make_shared<Ending>(*this);
  served_ = std::exchange(waiting_, {});
  std::erase_if(served_, [](const auto& waiter) { return waiter.expired(); });
  ending->is_reported = served_.empty();
  if (served_.empty()) return;
  busy_ = true;
  pace_.began(Clock::now());
  tell(served_, [](CheckpointWaiter& waiter) { waiter.checkpoint_begins(); });
  if_memory_allows("a checkpoint was not made, as there was no room for a copy of the state",
                   [&] { make_([ending](const Status& status) { ending->report(status); }); });
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
  second_.async_wait(boost::asio::bind_allocator(ticking_.allocator(), [this](const error_code&) {
    second_set_ = false;
    if (stopped_ || (waiting_.empty() && served_.empty())) return;
    await_second();
    begin_when_due();  // where there was no memory for that
    if (Clock::now() - promised_ > kLongestPromise) return;
    const auto pending = [](CheckpointWaiter& waiter) { waiter.checkpoint_pending(); };
    // Copies: a waiter that is told may ask again, which changes these lists.
    tell(Waiters(waiting_), pending);
    tell(Waiters(served_), pending);
  }));
  second_set_ = true;
}

template <class Tell>
void CheckpointDesk::tell(const Waiters& waiters, Tell&& tell) {
  for (const auto& weak : waiters)
    if (const auto waiter = weak.lock()) tell(*waiter);
}

}  // namespace glimpse
