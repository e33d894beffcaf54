#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/result.h"
#include "daemon/durability/checkpoint_pace.h"
#include "daemon/support/operation_memory.h"

namespace glimpse {

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
