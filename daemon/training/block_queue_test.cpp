#include "daemon/training/block_queue.h"

#include <algorithm>
#include <atomic>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "daemon/training/stream_processor.h"
#include "learn/factory.h"

using namespace glimpse;

namespace {

Block block_of(std::size_t bytes) {
  Block block;
  block.bytes = Bytes(std::string(bytes, 'x'));
  return block;
}

void no_room() { FAIL("there was room"); }

// Tries again whenever it is told that there is room.
void push_as_connection(BlockQueue& queue, Block block) {
  for (bool again = false;; again = true) {
    const auto room = std::make_shared<std::atomic<bool>>(false);  // its waiter may be faster than its teller
    const auto tell = [room] {
      *room = true;
      room->notify_one();
    };
    if (queue.push(block, again, tell)) return;
    room->wait(false);
  }
}

}  // namespace

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

TEST_CASE("the rest of a long task and the blocks that wait take turns") {
  BlockQueue queue(1000);
  for (int k = 0; k < 3; ++k) {
    Block block = block_of(1);
    CHECK(queue.push(block, false, no_room));
  }
  std::string order;
  std::function<void(StreamProcessor&)> rest;
  int slices = 0;
  rest = [&](StreamProcessor&) {
    order += 't';
    if (++slices < 5) queue.post_rest(rest);
  };
  queue.post(rest);
  LearnerOptions options;
  options.dimension = options.budget = 2;
  StreamProcessor processor(*make_learner(options), AttributeNames(2), 1);
  while (slices < 5 || order.find("bbb") == std::string::npos) {
    const auto block = queue.pop(std::chrono::steady_clock::now());
    if (block) {
      order += 'b';
      queue.release(1);
    } else if (queue.has_tasks()) {
      for (const auto& task : queue.take_tasks()) task(processor);
    } else {
      break;
    }
  }
  CHECK(order == "tbtbtbtt");
}

TEST_CASE(
    "a request goes between two examples of a block that is being worked on, behind what its feed sent") {
  BlockQueue queue(100000);
  LearnerOptions options;
  options.dimension = options.budget = 2;
  StreamProcessor processor(*make_learner(options), AttributeNames(2), 1);
  std::vector<std::size_t> amid;
  queue.set_stand_in({[](const Block&) { return false; },
                      [&](const Block& block) {
                        amid.push_back(block.bytes.size());
                        block.feed->waiting.fetch_sub(1);
                        queue.release(block.bytes.size());
                      },
                      {},
                      {}});
  const auto stream = std::make_shared<Feed>();
  const auto client = std::make_shared<Feed>();
  const auto push = [&](const std::shared_ptr<Feed>& feed, std::size_t bytes) {
    Block block = block_of(bytes);
    block.feed = feed;
    REQUIRE(queue.push(block, false, no_room));
  };
  push(stream, 50000);
  push(stream, 20000);
  const auto large = queue.pop();
  push(client, 10);
  push(client, 11);     // behind the one that waits
  push(client, 20000);  // no request
  push(stream, 12);     // behind its own
  REQUIRE(queue.has_tasks());
  for (const auto& task : queue.take_tasks()) task(processor);
  CHECK(amid == std::vector<std::size_t>{10});
  for (const std::size_t expected : {20000, 11, 20000, 12}) {
    const auto block = queue.pop();
    REQUIRE(block);
    CHECK(block->bytes.size() == expected);
    block->feed->waiting.fetch_sub(1);
    queue.release(expected);
  }
  // With nothing of it left, the next goes amid the large block again.
  push(client, 13);
  for (const auto& task : queue.take_tasks()) task(processor);
  CHECK(amid == std::vector<std::size_t>{10, 13});
  // About kSmallBlock bytes go amid one block, from all feeds together. The rest goes as all blocks do.
  for (int i = 0; i < 40; ++i) {
    const auto other = std::make_shared<Feed>();
    push(other, 1000);
  }
  const auto tasks = queue.take_tasks();
  CHECK(tasks.size() == BlockQueue::kSmallBlock / 1000 + 1);
  for (const auto& task : tasks) task(processor);
  for (std::size_t i = tasks.size(); i < 40; ++i) {
    REQUIRE(queue.pop());
    queue.release(1000);
  }
  queue.release(50000);
  CHECK(queue.bytes() == 0);
  // Where nothing is worked on there is nothing to go amid of.
  push(client, 14);
  CHECK_FALSE(queue.has_tasks());
  CHECK(queue.pop()->bytes.size() == 14);
}

namespace {

// A trainer that counts what is done in its turn, by itself or in its place: a plain number, which threads
// that work at the same time would get wrong (and ThreadSanitizer would tell).
struct CountingTrainer {
  explicit CountingTrainer(BlockQueue& q) : queue(q) {
    queue.set_stand_in({[](const Block&) { return true; },
                        {},
                        [this](const Block& block) {
                          ++done;
                          queue.release(block.bytes.size());
                          return wake;
                        },
                        [this](const BlockQueue::Task& task) {
                          task(*processor);
                          return wake;
                        }});
    thread = std::thread([this] {
      while (!queue.finished()) {
        const auto block = queue.pop();
        for (const auto& task : queue.take_tasks()) task(*processor);
        if (block) {
          ++done;
          queue.release(block->bytes.size());
        }
        ++wakes;
      }
    });
  }
  ~CountingTrainer() { thread.join(); }

  LearnerOptions options = [] {
    LearnerOptions two;
    two.dimension = two.budget = 2;
    return two;
  }();
  std::unique_ptr<StreamProcessor> processor =
      std::make_unique<StreamProcessor>(*make_learner(options), AttributeNames(2), 1);
  BlockQueue& queue;
  std::size_t done = 0;
  std::optional<BlockQueue::Time> wake;
  std::atomic<std::size_t> wakes{0};
  std::thread thread;
};

// Posts short tasks until one of them was run by the poster itself: the trainer waits then.
void post_until_stood_in(BlockQueue& queue) {
  std::atomic<bool> here{false};
  const auto self = std::this_thread::get_id();
  while (!here) {
    std::atomic<bool> ran{false};
    queue.post_short([&](StreamProcessor&) {
      if (std::this_thread::get_id() == self) here = true;
      ran = true;
      ran.notify_one();
    });
    ran.wait(false);
  }
}

}  // namespace

TEST_CASE("who brings a short task or a small block while the trainer waits does it in its place") {
  BlockQueue queue(100);
  {
    CountingTrainer trainer(queue);
    post_until_stood_in(queue);
    const std::size_t wakes = trainer.wakes;
    const std::size_t done = trainer.done;
    Block block = block_of(10);
    CHECK(queue.push(block, false, no_room));
    CHECK(trainer.done == done + 1);
    CHECK(queue.bytes() == 0);
    CHECK(trainer.wakes == wakes);
    queue.close();
  }
  CHECK(queue.finished());
}

TEST_CASE("a trainer in whose place others worked wakes when there is something for itself") {
  BlockQueue queue(100);
  CountingTrainer trainer(queue);
  post_until_stood_in(queue);
  std::atomic<int> ran{0};
  const auto self = std::this_thread::get_id();
  SUBCASE("a rest of the task") {
    queue.post_short([&](StreamProcessor&) {
      queue.post_rest([&](StreamProcessor&) {
        ran = std::this_thread::get_id() == self ? 1 : 2;
        ran.notify_one();
      });
    });
    ran.wait(0);
    CHECK(ran == 2);
  }
  SUBCASE("a time that is sooner than it knew") {
    const std::size_t wakes = trainer.wakes;
    queue.post_short([&](StreamProcessor&) { trainer.wake = std::chrono::steady_clock::now(); });
    while (trainer.wakes == wakes) std::this_thread::yield();
    CHECK(trainer.wakes > wakes);
  }
  queue.close();
}

TEST_CASE("under threads the trainer's turn is with one of them at a time") {
  constexpr std::size_t kEach = 3000;
  BlockQueue queue(1000);
  std::size_t done = 0;
  {
    CountingTrainer trainer(queue);
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([&] {
        for (std::size_t i = 0; i < kEach; ++i) queue.post_short([&](StreamProcessor&) { ++trainer.done; });
      });
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < kEach; ++i) queue.push_blocking(block_of(1 + i % 300));
    });
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < kEach; ++i) push_as_connection(queue, block_of(1 + i % 30));
    });
    for (auto& thread : threads) thread.join();
    queue.close();
    trainer.thread.join();
    trainer.thread = std::thread([] {});
    done = trainer.done;
  }
  CHECK(done == 4 * kEach);
  CHECK(queue.bytes() == 0);
}
