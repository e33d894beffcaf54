// Whose turn it is: the rest of a long task and blocks, requests and the large block that is being worked on.

#include <chrono>
#include <doctest/doctest.h>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/training/block_queue_test_support.h"

namespace block_queue_turns_test {

using namespace glimpse;
using namespace glimpse::block_queue_test;

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
  StreamProcessor processor = processor_for_tasks();
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
  StreamProcessor processor = processor_for_tasks();
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
  // So much goes amid one block from all senders together, and the rest as all blocks do.
  for (int i = 0; i < 40; ++i) push(std::make_shared<Feed>(), 1000);
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

}  // namespace block_queue_turns_test
