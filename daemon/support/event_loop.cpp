#include "daemon/support/event_loop.h"

#include <algorithm>
#include <exception>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/multiple_exceptions.hpp>

#include "daemon/support/memory_trouble.h"
#include "daemon/support/short_turns.h"

namespace glimpse {

void Patience::note(Duration pause) {
  constexpr int kShare = 8;  // of the newest pause in the mean
  mean_ += (std::min(pause, 4 * kClose) - mean_) / kShare;
}

namespace {

// What a handler could not do goes with what it held: a connection is closed. The others stay. Where a
// handler called others that failed as well, Asio throws one exception for them all, which has the first.
template <class Run>
std::size_t run_some(const Run& run) {
  std::size_t events = 1;
  if_memory_allows("a connection was closed, or a request refused", [&] {
    try {
      events = run();
    } catch (const boost::asio::multiple_exceptions& several) {
      std::rethrow_exception(several.first_exception());
    }
  });
  return events;
}

}  // namespace

void run_events(boost::asio::io_context& io) {
  using Clock = std::chrono::steady_clock;
  ask_for_short_turns();
  const auto work = boost::asio::make_work_guard(io);  // no event at the moment is not the end
  Patience patience;
  while (!io.stopped()) {
    if (run_some([&] { return io.poll(); }) > 0) continue;
    const auto idle_since = Clock::now();
    const auto until = idle_since + patience.now();
    std::size_t events = 0;
    while (events == 0 && !io.stopped() && Clock::now() < until) {
      std::this_thread::yield();
      events = run_some([&] { return io.poll(); });
    }
    if (events == 0) run_some([&] { return io.run_one(); });
    patience.note(Clock::now() - idle_since);
  }
}

}  // namespace glimpse
