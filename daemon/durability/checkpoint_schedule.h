#pragma once

#include <chrono>
#include <cstdint>

#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "daemon/durability/checkpointer.h"
#include "daemon/support/operation_memory.h"

namespace glimpse {

/// When checkpoints are made that nobody asks for: after a time (--checkpoint-every), and after a number of
/// examples (--checkpoint-examples). Thread-safety: the functions name their thread.
class CheckpointSchedule {
 public:
  /// `checkpointer` outlives this.
  CheckpointSchedule(boost::asio::io_context& io, Checkpointer& checkpointer)
      : checkpointer_(checkpointer), timer_(io) {}

  /// Checkpoints every so often from now on; 0: none by time. I/O thread.
  void set_time(std::chrono::milliseconds every) {
    every_ = every;
    checkpointer_.set_every(every);
    timer_.cancel();
    await_time();
  }
  /// No more by time. I/O thread.
  void stop() {
    every_ = {};
    timer_.cancel();
  }

  /// A checkpoint whenever so many examples came since `now`; 0: none by count. Trainer's thread.
  void set_examples(std::uint64_t between, std::uint64_t now) {
    between_ = between;
    next_ = now + between;
  }
  /// Another learner has the place of the one before, and `now` examples. Trainer's thread.
  void note_promoted(std::uint64_t now) { next_ = now + between_; }
  /// After every example. Trainer's thread.
  void note_learned(std::uint64_t examples) {
    if (between_ == 0 || examples < next_) return;
    next_ = examples + between_;
    checkpointer_.request({});
  }

 private:
  void await_time() {
    if (every_.count() == 0) return;
    timer_.expires_after(every_);
    timer_.async_wait(
        boost::asio::bind_allocator(waiting_.allocator(), [this](const boost::system::error_code& error) {
          if (error || every_.count() == 0) return;
          await_time();
          checkpointer_.note_overdue();
          checkpointer_.request_if_changed({});
        }));
  }

  Checkpointer& checkpointer_;
  std::chrono::milliseconds every_{0};
  boost::asio::steady_timer timer_;
  const OperationMemory waiting_;
  std::uint64_t between_ = 0;
  std::uint64_t next_ = 0;
};

}  // namespace glimpse
