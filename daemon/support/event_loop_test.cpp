#include "daemon/support/event_loop.h"

#include <doctest/doctest.h>
#include <new>
#include <stdexcept>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "daemon/support/memory_trouble.h"

namespace event_loop_test {

using namespace glimpse;
using namespace std::chrono_literals;

TEST_CASE("without events that are close nobody looks for them") {
  Patience patience;
  CHECK(patience.now() == 0us);
  for (int n = 0; n < 100; ++n) patience.note(1ms);
  CHECK(patience.now() == 0us);
  patience.note(1us);  // one alone
  CHECK(patience.now() == 0us);
}

TEST_CASE("events that are close are looked for twice as long as they take to come, until they stop coming") {
  Patience patience;
  for (int n = 0; n < 100; ++n) patience.note(60us);
  CHECK(patience.now() > 115us);
  CHECK(patience.now() <= 125us);
  patience.note(1h);
  patience.note(1h);
  CHECK(patience.now() == 0us);
}

TEST_CASE("events are handled until the context is stopped, with pauses and without") {
  boost::asio::io_context io;
  boost::asio::steady_timer timer(io);
  int handled = 0;
  const auto chain = [&](auto& self) -> void {
    if (++handled == 200) return io.stop();
    if (handled % 50 == 0) {
      timer.expires_after(1ms);
      timer.async_wait([&](const boost::system::error_code&) { self(self); });
    } else {
      boost::asio::post(io, [&] { self(self); });
    }
  };
  boost::asio::post(io, [&] { chain(chain); });
  run_events(io);
  CHECK(handled == 200);
}

TEST_CASE(
    "events that found no memory, or threw, are counted, one or several within another, and the others are "
    "handled") {
  boost::asio::io_context io;
  const std::uint64_t before = memory_troubles();
  const auto fail = [] { throw std::bad_alloc(); };
  boost::asio::post(io, fail);
  boost::asio::post(io, [&] {
    for (int n = 0; n < 3; ++n) boost::asio::dispatch(io, fail);
  });
  boost::asio::post(io, [&] { io.stop(); });
  run_events(io);
  CHECK(memory_troubles() == before + 2);

  const std::uint64_t faults_before = faults();
  const auto refuse = [] { throw std::length_error("refused"); };
  io.restart();
  boost::asio::post(io, [&] {
    for (int n = 0; n < 2; ++n) boost::asio::dispatch(io, refuse);
  });
  boost::asio::post(io, [&] { io.stop(); });
  run_events(io);
  CHECK(faults() == faults_before + 1);
}

}  // namespace event_loop_test
