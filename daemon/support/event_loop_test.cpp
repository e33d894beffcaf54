#include "daemon/support/event_loop.h"

#include <doctest/doctest.h>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

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

}  // namespace event_loop_test
