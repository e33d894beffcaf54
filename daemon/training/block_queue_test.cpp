#include "daemon/training/block_queue.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <doctest/doctest.h>
#include <string>
#include <thread>
#include <vector>

#include "daemon/training/block_queue_test_support.h"

namespace block_queue_test {

using namespace glimpse;
using namespace glimpse::block_queue_test;

TEST_CASE("a queue takes blocks up to its limit, and the first whatever its size") {
  BlockQueue queue(10);
  Block large = block_of(100);
  CHECK(queue.push(large, false, no_room));
  Block small = block_of(1);
  int told = 0;
  CHECK_FALSE(queue.push(small, false, [&] { ++told; }));
  CHECK(small.bytes.size() == 1);  // it was left alone
  CHECK(queue.bytes() == 100);

  CHECK(queue.pop()->bytes.size() == 100);
  CHECK(queue.bytes() == 100);  // still being worked on
  CHECK(told == 0);
  queue.release(100);
  CHECK(told == 1);
  CHECK(queue.push(small, true, no_room));
  CHECK(queue.bytes() == 1);
}

TEST_CASE("blocks come out in the order in which they went in") {
  BlockQueue queue(100);
  for (std::size_t i = 1; i <= 5; ++i) queue.push_blocking(block_of(i));
  for (std::size_t i = 1; i <= 5; ++i) CHECK(queue.pop()->bytes.size() == i);
}

TEST_CASE("tasks go before blocks") {
  BlockQueue queue(100);
  queue.push_blocking(block_of(1));
  CHECK_FALSE(queue.has_tasks());
  queue.post([](StreamProcessor&) {});
  CHECK(queue.has_tasks());
  CHECK_FALSE(queue.pop().has_value());
  CHECK(queue.take_tasks().size() == 1);
  CHECK_FALSE(queue.has_tasks());
  CHECK(queue.pop().has_value());
}

TEST_CASE("a closed queue is finished when all that was told to try again has come") {
  BlockQueue queue(10);
  queue.push_blocking(block_of(10));
  Block waiting = block_of(5);
  int told = 0;
  CHECK_FALSE(queue.push(waiting, false, [&] { ++told; }));
  queue.close();
  CHECK(told == 1);
  CHECK_FALSE(queue.finished());
  CHECK(queue.pop().has_value());
  queue.release(10);
  CHECK_FALSE(queue.finished());
  CHECK(queue.push(waiting, true, no_room));  // taken, however full
  CHECK_FALSE(queue.finished());
  CHECK(queue.pop()->bytes.size() == 5);
  queue.release(5);
  CHECK(queue.finished());
  CHECK_FALSE(queue.pop().has_value());  // and does not wait
}

TEST_CASE("a closed queue does not wait for who was told to try again and cannot") {
  BlockQueue queue(10);
  queue.push_blocking(block_of(10));
  Block waiting = block_of(5);
  CHECK_FALSE(queue.push(waiting, false, [] {}));
  queue.close();
  CHECK(queue.pop().has_value());
  queue.release(10);
  CHECK_FALSE(queue.finished());
  queue.leave();
  CHECK(queue.finished());
}

TEST_CASE("discarding throws away what is queued and what still comes") {
  BlockQueue queue(10);
  queue.push_blocking(block_of(10));
  Block waiting = block_of(5);
  CHECK_FALSE(queue.push(waiting, false, [] {}));
  queue.discard();
  CHECK(queue.bytes() == 0);
  CHECK(queue.finished());
  CHECK(queue.push(waiting, true, no_room));
  queue.push_blocking(block_of(1));
  CHECK(queue.bytes() == 0);
  CHECK(queue.finished());
}

TEST_CASE("under threads nothing is lost and the bytes stay bounded") {
  constexpr std::size_t kLimit = 1000;
  constexpr std::size_t kBlocks = 2000;
  BlockQueue queue(kLimit);
  std::atomic<std::size_t> blocking_done{0};
  std::vector<std::thread> producers;
  for (int t = 0; t < 2; ++t)
    producers.emplace_back([&] {
      for (std::size_t i = 0; i < kBlocks; ++i) queue.push_blocking(block_of(1 + i % 300));
      ++blocking_done;
    });
  // And one that is called back, as a connection is.
  producers.emplace_back([&] {
    for (std::size_t i = 0; i < kBlocks; ++i) push_as_connection(queue, block_of(1 + i % 300));
    ++blocking_done;
  });
  producers.emplace_back([&] {
    for (int i = 0; i < 1000; ++i) queue.post([](StreamProcessor&) {});
    ++blocking_done;
  });
  std::thread closer([&] {
    for (auto& producer : producers) producer.join();
    queue.close();
  });

  std::size_t blocks = 0;
  std::size_t tasks = 0;
  std::size_t most = 0;
  while (!queue.finished()) {
    const auto block = queue.pop();
    tasks += queue.take_tasks().size();
    if (!block) continue;
    most = std::max(most, queue.bytes());
    ++blocks;
    queue.release(block->bytes.size());
  }
  closer.join();
  CHECK(blocks == 3 * kBlocks);
  CHECK(tasks == 1000);
  CHECK(most <= kLimit);
  CHECK(queue.bytes() == 0);
}

TEST_CASE("closing wakes producers that wait for room") {
  BlockQueue queue(10);
  queue.push_blocking(block_of(10));
  std::thread producer([&] { queue.push_blocking(block_of(10)); });
  queue.close();
  producer.join();
  std::size_t blocks = 0;
  while (!queue.finished())
    if (const auto block = queue.pop()) {
      ++blocks;
      queue.release(block->bytes.size());
    }
  CHECK(blocks == 2);
}

TEST_CASE("who waits until a time for a block gets none then, and one that comes before") {
  BlockQueue queue(100);
  const auto now = std::chrono::steady_clock::now();
  CHECK_FALSE(queue.pop(now));
  CHECK_FALSE(queue.pop(now + std::chrono::milliseconds(1)));
  Block block = block_of(1);
  CHECK(queue.push(block, false, no_room));
  CHECK(queue.pop(now));
}

TEST_CASE("the lines that follow are those of the next block, where it is of the same feed") {
  BlockQueue queue(1000);
  const auto feed = std::make_shared<Feed>();
  const auto other = std::make_shared<Feed>();
  CHECK_FALSE(queue.following(*feed));
  const auto push = [&](const std::shared_ptr<Feed>& of, const char* text) {
    Block block;
    block.feed = of;
    block.bytes = Bytes(std::string(text));
    REQUIRE(queue.push(block, false, no_room));
  };
  push(feed, "1");
  push(feed, "2");
  push(other, "3");
  REQUIRE(queue.following(*feed));
  CHECK(queue.following(*feed)->bytes.view == "1");
  CHECK_FALSE(queue.following(*other));
  queue.pop();
  CHECK(queue.following(*feed)->bytes.view == "2");
  queue.pop();
  CHECK_FALSE(queue.following(*feed));
  CHECK(queue.following(*other)->bytes.view == "3");
}

}  // namespace block_queue_test
