#include "daemon/support/event_loop.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/multiple_exceptions.hpp>

#include "daemon/support/memory_trouble.h"

namespace glimpse {

namespace {

// What the system call takes (sched_setattr(2)). The C library has it from 2.41 on, and the system's own
// header cannot be included beside the C library's.
struct Attributes {
  std::uint32_t size = sizeof(Attributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;  // nanoseconds
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};
static_assert(sizeof(Attributes) == 48);

}  // namespace

bool ask_for_short_turns() {
  constexpr std::chrono::nanoseconds kTurn = std::chrono::microseconds(100);  // the shortest there is
  Attributes wanted;
  wanted.policy = SCHED_OTHER;
  wanted.nice = ::getpriority(PRIO_PROCESS, 0);  // as it is
  wanted.runtime = static_cast<std::uint64_t>(kTurn.count());
  if (::sched_getscheduler(0) != SCHED_OTHER) return false;  // what an operator chose stays
  return ::syscall(SYS_sched_setattr, 0, &wanted, 0U) == 0;
}

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
