#pragma once

#include <chrono>

#include <boost/asio/io_context.hpp>

namespace glimpse {

/// Asks the system to give the calling thread the processor often and for a short time (100 µs) rather than
/// seldom and for long: it waits less behind threads that are always busy, and gets no more in all. For a
/// thread that answers. Needs no privilege. Linux 6.12 and later do so; elsewhere, and where it is not
/// allowed, nothing happens. False: the system refused. Thread-safety: full.
bool ask_for_short_turns();

/// How long it is worth while to look for the next event without sleeping. Thread-safety: none.
class Patience {
 public:
  using Duration = std::chrono::steady_clock::duration;
  static constexpr Duration kClose = std::chrono::microseconds(150);

  /// An event came `pause` after there was nothing more to do.
  void note(Duration pause);
  /// Twice the mean of the last pauses where that is below kClose, else 0.
  Duration now() const { return mean_ < kClose ? 2 * mean_ : Duration::zero(); }

 private:
  Duration mean_ = 4 * kClose;  // each pause counts 4·kClose at most
};

/// Runs an io_context until it is stopped. A thread that sleeps takes tens of microseconds to wake, which is
/// more than a request and its answer need. So where events follow one another closely, as requests of a
/// client that waits for each answer do, the next is looked for with Patience, and the processor offered to
/// others all the while. Where they do not, or stop coming, the thread sleeps as always. It asks for short
/// turns, so that it waits less for the trainer and for who sends a stream. Thread-safety: one thread runs
/// it.
void run_events(boost::asio::io_context& io);

}  // namespace glimpse
