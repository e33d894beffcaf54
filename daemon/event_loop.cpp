#include "daemon/event_loop.h"

#include <algorithm>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>

namespace glimpse {

void Patience::note(Duration pause) {
  constexpr int kShare = 8;  // of the newest pause in the mean
  mean_ += (std::min(pause, 4 * kClose) - mean_) / kShare;
}

void run_events(boost::asio::io_context& io) {
  using Clock = std::chrono::steady_clock;
  const auto work = boost::asio::make_work_guard(io);  // no event at the moment is not the end
  Patience patience;
  while (!io.stopped()) {
    if (io.poll() > 0) continue;
    const auto idle_since = Clock::now();
    const auto until = idle_since + patience.now();
    std::size_t events = 0;
    while (events == 0 && !io.stopped() && Clock::now() < until) {
      std::this_thread::yield();
      events = io.poll();
    }
    if (events == 0) io.run_one();
    patience.note(Clock::now() - idle_since);
  }
}

}  // namespace glimpse
