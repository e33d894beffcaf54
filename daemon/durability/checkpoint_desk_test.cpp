#include "daemon/durability/checkpoint_desk.h"

#include <doctest/doctest.h>
#include <optional>
#include <string>

namespace checkpoint_desk_test {

using namespace glimpse;

namespace {

struct Waiter : CheckpointWaiter {
  void checkpoint_begins() override { heard += 'b'; }
  void checkpoint_pending() override { heard += 'p'; }
  void checkpoint_ended(const Status& status) override {
    heard += status ? 'd' : 'f';
    if (then) then();
  }
  std::string heard;
  std::function<void()> then;
};

struct Desk {
  boost::asio::io_context io;
  int made = 0;
  std::function<void(const Status&)> done;
  CheckpointDesk desk{io, [this](std::function<void(const Status&)> when_done) {
                        CHECK_FALSE(done);  // one at a time
                        ++made;
                        done = std::move(when_done);
                      }};

  void run_until_made(int count) {
    while (made < count) io.run_one();
  }
  void end(const Status& status = {}) { std::exchange(done, nullptr)(status); }
};

}  // namespace

TEST_CASE("those who ask before it begins share one checkpoint, and who asks later shares the next") {
  Desk d;
  const auto a = std::make_shared<Waiter>();
  const auto b = std::make_shared<Waiter>();
  const auto c = std::make_shared<Waiter>();
  d.desk.ask(a);
  d.desk.ask(b);
  d.run_until_made(1);
  CHECK(a->heard + b->heard == "bb");
  d.desk.ask(c);
  d.end();
  CHECK(a->heard + b->heard + c->heard == "bdbd");
  d.run_until_made(2);
  d.end();
  CHECK(a->heard + b->heard + c->heard == "bdbdbd");
}

TEST_CASE("who is gone is not served") {
  Desk d;
  d.desk.ask(std::make_shared<Waiter>());
  d.io.run_one();
  CHECK(d.made == 0);
  const auto a = std::make_shared<Waiter>();
  d.desk.ask(a);
  d.run_until_made(1);
  CHECK(a->heard == "b");
}

TEST_CASE("a checkpoint whose end nobody had the memory to report has failed, and the next one is made") {
  Desk d;
  const auto a = std::make_shared<Waiter>();
  d.desk.ask(a);
  d.run_until_made(1);
  d.done = nullptr;
  d.io.poll();
  CHECK(a->heard == "bf");
  d.desk.ask(a);
  d.run_until_made(2);
  d.end();
  CHECK(a->heard.ends_with("bd"));
}

TEST_CASE("a failure is told, and asking again is tried again") {
  Desk d;
  const auto a = std::make_shared<Waiter>();
  a->then = [&] { d.desk.ask(a); };
  d.desk.ask(a);
  d.run_until_made(1);
  d.end(failure(ErrorCode::kSystem, "full"));
  a->then = nullptr;
  d.run_until_made(2);
  d.end();
  CHECK(a->heard.substr(0, 2) == "bf");
  CHECK(a->heard.substr(a->heard.size() - 2) == "bd");
}

TEST_CASE("who waits is told so again and again until it is over") {
  Desk d;
  const auto a = std::make_shared<Waiter>();
  d.desk.ask(a);
  while (a->heard != "bpp") d.io.run_one();
  d.end();
  CHECK(a->heard == "bppd");
  d.io.run();  // ends: nobody waits
  CHECK(a->heard == "bppd");
}

TEST_CASE("memory that runs out for a checkpoint is a failure of it") {
  boost::asio::io_context io;
  CheckpointDesk desk(io, [](std::function<void(const Status&)>) { throw std::bad_alloc(); });
  const auto a = std::make_shared<Waiter>();
  desk.ask(a);
  while (a->heard != "bf") io.run_one();
  CHECK(a->heard == "bf");
}

TEST_CASE("a desk that was stopped makes no more") {
  Desk d;
  const auto a = std::make_shared<Waiter>();
  d.desk.ask(a);
  d.desk.stop();
  d.desk.ask(a);
  d.io.run();
  CHECK(d.made == 0);
}

}  // namespace checkpoint_desk_test
