#include "daemon/upkeep.h"

#include <chrono>

#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/post.hpp>

#include "daemon/support/process_usage.h"
#include "daemon/support/systemd.h"
#include "daemon/support/wall_clock.h"
#include "daemon/training/stream_processor.h"

namespace glimpse {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

namespace {
constexpr unsigned kTrimEvery = 10;  // seconds
}  // namespace

void Upkeep::start(const Trainer& trainer, bool expires) {
  trainer_ = &trainer;
  await_watchdog();
  if (expires) await_second();
}

// The pulse proves that the I/O thread runs, and that the trainer moves while it has work.
void Upkeep::await_watchdog() {
  const auto interval = watchdog_interval();
  if (interval.count() == 0) return;
  watchdog_.expires_after(interval);
  watchdog_.async_wait(asio::bind_allocator(pulsing_.allocator(), [this](const error_code& error) {
    if (error) return;
    await_watchdog();  // first: without memory the rest may be given up this time
    const std::uint64_t pulse = trainer_->pulse();
    if (pulse != watched_pulse_ || queue_.bytes() == 0) notify_watchdog();
    watched_pulse_ = pulse;
  }));
}

// So that what is told of plans and of money is true also while nobody asks.
void Upkeep::await_second() {
  second_.expires_after(1s);
  second_.async_wait(asio::bind_allocator(counting_.allocator(), [this](const error_code& error) {
    if (error) return;
    await_second();  // first: without memory the rest may be given up this time
    queue_.post([](StreamProcessor& processor) { processor.expire_plans(wall_seconds()); });
    if (++seconds_ % kTrimEvery == 0) boost::asio::post(spare_, [] { give_pieces_back(); });
  }));
}

}  // namespace glimpse
