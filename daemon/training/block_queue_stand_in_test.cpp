// Who brings a short task or a small block does it in the place of a trainer that waits.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <doctest/doctest.h>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "daemon/training/block_queue_test_support.h"

namespace block_queue_stand_in_test {

using namespace glimpse;
using namespace glimpse::block_queue_test;

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

  std::unique_ptr<StreamProcessor> processor = std::make_unique<StreamProcessor>(processor_for_tasks());
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

}  // namespace block_queue_stand_in_test
