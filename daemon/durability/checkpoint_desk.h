#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/result.h"
#include "daemon/support/operation_memory.h"

namespace glimpse {

/// When the next checkpoint that clients ask for may begin, so that making them takes a bounded share of the
/// time however many ask. No clock: time is given.
///
/// After one that took the time t there is a rest of t (100 / share - 1). After one that failed it is at
/// least kFirstRetry, and twice as long after each further one, up to kLastRetry: a full disk is not tried
/// again and again.
///
/// Thread-safety: none.
class CheckpointPace {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kFirstRetry{1};
  static constexpr std::chrono::seconds kLastRetry{30};

  /// `percent`: of the time, 1 to 100; 100: without a rest.
  void set_share(unsigned percent) { percent_ = percent; }

  void began(Time now) { began_ = now; }
  void ended(Time now, bool succeeded);

  /// The next one may begin then; in the past: at once.
  Time earliest() const { return earliest_; }

 private:
  unsigned percent_ = 100;
  Time began_{};
  Time earliest_ = Time::min();
  std::chrono::seconds retry_{0};  // 0: the last one succeeded
};

/// Who asked for a checkpoint, and is told what becomes of it, on the I/O thread.
class CheckpointWaiter {
 public:
  virtual ~CheckpointWaiter() = default;
  /// It begins: what is inside now is in it.
  virtual void checkpoint_begins() = 0;
  /// It is still to come or being written: about once a second.
  virtual void checkpoint_pending() = 0;
  /// It is durable, and sources were told so; or why it failed. Nothing more is told without another ask().
  virtual void checkpoint_ended(const Status& status) = 0;
};

/// Where stream connections ask for checkpoints: one at a time is made for all who have asked by then, and
/// not more often than the pace allows. Thread-safety: none; the I/O thread's.
class CheckpointDesk {
 public:
  /// Makes a checkpoint of what is inside, and calls `done` on the I/O thread, once the sources' carriers
  /// were told what is durable. Where `done` is destroyed without a call, on any thread, there was no memory.
  using Make = std::function<void(std::function<void(const Status&)> done)>;

  /// How long a promise is kept up: after that a disk that hangs counts as one, and waiters hear nothing
  /// until it is over.
  static constexpr std::chrono::minutes kLongestPromise{10};

  /// Must outlive `io`'s handlers.
  CheckpointDesk(boost::asio::io_context& io, Make make);

  /// Of the time, 1 to 100 percent.
  void set_share(unsigned percent) { pace_.set_share(percent); }
  void ask(std::weak_ptr<CheckpointWaiter> waiter);
  /// Makes no more: the last one comes anyway.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  using Waiters = std::vector<std::weak_ptr<CheckpointWaiter>>;

  void begin_when_due();
  void begin();
  void end(const Status& status);
  void await_second();
  template <class Tell>
  static void tell(const Waiters& waiters, Tell&& tell);

  struct Ending;

  boost::asio::io_context& io_;
  const Make make_;
  CheckpointPace pace_;
  boost::asio::steady_timer due_;
  boost::asio::steady_timer second_;
  const OperationMemory ticking_;
  Waiters waiting_;  // for the next one
  Waiters served_;   // by the one that is being made
  bool busy_ = false;
  bool due_set_ = false;
  bool second_set_ = false;
  bool stopped_ = false;
  Clock::time_point promised_{};  // when somebody began to wait while nobody did, or one ended
};

}  // namespace glimpse
