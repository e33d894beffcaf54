#include "daemon/training/trainer.h"

#include <doctest/doctest.h>
#include <new>
#include <stdexcept>

#include "daemon/support/memory_trouble.h"
#include "daemon/training/stream_processor_test_support.h"
#include "daemon/training/trainer_turn.h"

namespace trainer_test {

using namespace glimpse;

TEST_CASE("a task that throws, whatever it is, is given up, and those behind it are run") {
  auto processor = glimpse::stream_processor_test::make_processor();
  BlockQueue queue(1 << 20);
  Trainer trainer(processor, queue, nullptr, nullptr, {}, false, {});
  trainer.start();
  const auto post = [&](BlockQueue::Task task) { queue.post(std::move(task)); };
  const std::uint64_t before = faults();
  CHECK_FALSE(take_trainer_turn(post, [](StreamProcessor&) { throw std::runtime_error("a fault"); }));
  CHECK_FALSE(take_trainer_turn(post, [](StreamProcessor&) { throw 7; }));
  CHECK_FALSE(take_trainer_turn(post, [](StreamProcessor&) { throw std::bad_alloc(); }));
  CHECK(faults() == before + 2);
  CHECK(take_trainer_turn(post, [](StreamProcessor&) {}));
  queue.close();
  trainer.join();
}

}  // namespace trainer_test
