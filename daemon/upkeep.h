#pragma once

#include <cstdint>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include "daemon/support/operation_memory.h"
#include "daemon/training/trainer.h"

namespace glimpse {

/// What is done at fixed times: systemd's watchdog is told that glimpsed works, plans that are too old
/// expire, and memory that is free goes back to the system. Thread-safety: none; the I/O thread's.
class Upkeep {
 public:
  /// All outlive this. `spare`: a thread that gives memory back.
  Upkeep(boost::asio::io_context& io, BlockQueue& queue, boost::asio::thread_pool& spare)
      : queue_(queue), spare_(spare), watchdog_(io), second_(io) {}

  /// `expires`: plans do.
  void start(const Trainer& trainer, bool expires);
  /// The watchdog is told on.
  void stop_expiring() { second_.cancel(); }

 private:
  void await_watchdog();
  void await_second();

  BlockQueue& queue_;
  boost::asio::thread_pool& spare_;
  boost::asio::steady_timer watchdog_;
  boost::asio::steady_timer second_;
  const OperationMemory pulsing_;
  const OperationMemory counting_;
  const Trainer* trainer_ = nullptr;
  std::uint64_t watched_pulse_ = 0;
  unsigned seconds_ = 0;  // that it counted
};

}  // namespace glimpse
