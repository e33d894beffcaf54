#pragma once

#include <atomic>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <utility>

#include "daemon/training/block_queue.h"
#include "daemon/training/stream_processor.h"
#include "learn/factory.h"

/// What the tests of BlockQueue share: blocks of some bytes, who waits for room, and a processor for tasks.
namespace glimpse::block_queue_test {

inline Block block_of(std::size_t bytes) {
  Block block;
  block.bytes = Bytes(std::string(bytes, 'x'));
  return block;
}

inline void no_room() { FAIL("there was room"); }

// Tries again whenever it is told that there is room.
inline void push_as_connection(BlockQueue& queue, Block block) {
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

inline StreamProcessor processor_for_tasks() {
  LearnerOptions options;
  options.dimension = options.budget = 2;
  return StreamProcessor(*make_learner(options), AttributeNames(2), 1);
}

}  // namespace glimpse::block_queue_test
