#include "daemon/support/prepared_post.h"

#include <array>
#include <cstdlib>
#include <doctest/doctest.h>
#include <string>
#include <thread>

#include <boost/asio/post.hpp>

namespace prepared_post_test {

using namespace glimpse;

TEST_CASE("what was prepared runs on the context's thread, handed over from another") {
  boost::asio::io_context io;
  std::thread::id ran_on;
  std::string text(1000, 'x');
  std::thread other([&io, &ran_on, text = std::move(text)]() mutable {
    PreparedPost post;
    post(io, [&ran_on, text = std::move(text)] {
      if (text.size() == 1000) ran_on = std::this_thread::get_id();
    });
  });
  other.join();
  io.run();
  CHECK(ran_on == std::this_thread::get_id());
}

TEST_CASE("on the context's own thread it runs at once") {
  boost::asio::io_context io;
  int order = 0;
  boost::asio::post(io, [&] {
    PreparedPost post;
    int ran = 0;
    post(io, [&] { ran = ++order; });
    CHECK(ran == 1);
  });
  io.run();
  CHECK(order == 1);
}

TEST_CASE("what was prepared and never used, or never run, is given back") {
  {
    const PreparedPost unused;
  }
  auto held = std::make_shared<int>(1);
  {
    boost::asio::io_context io;
    PreparedPost post;
    std::thread([&io, &post, held] { post(io, [held] {}); }).join();
    CHECK(held.use_count() == 2);
  }
  CHECK(held.use_count() == 1);
}

TEST_CASE("a function as large as may be fits") {
  boost::asio::io_context io;
  std::array<char, 184> large{};
  bool ran = false;
  std::thread([&] {
    PreparedPost post;
    post(io, [large, &ran] { ran = large[0] == 0; });
  }).join();
  io.run();
  CHECK(ran);
}

}  // namespace prepared_post_test
