#include "daemon/durability/checkpointer.h"

#include <condition_variable>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/faulty_file_system_test_support.h"
#include "daemon/training/stream_processor.h"
#include "learn/core/array_limits.h"
#include "learn/factory.h"

namespace checkpointer_test {

using namespace glimpse;

namespace {

std::unique_ptr<Learner> make() {
  LearnerOptions options;
  options.algorithm = "aerr";
  options.dimension = 4;
  options.budget = 3;
  return *make_learner(options);
}

/// What the trainer and the worker do, on one thread.
struct Bench {
  Bench()
      : checkpointer(
            &store, {},
            [this](const State& state) {
              ++checked;
              return refusal ? Status(*refusal) : StreamProcessor::check(state, 4);
            },
            queue, worker) {}

  // A checkpoint that is asked for, as far as `done`.
  Result<CheckpointStatus> make_checkpoint() {
    std::optional<Result<CheckpointStatus>> answer;
    std::mutex mutex;
    std::condition_variable changed;
    checkpointer.request([&](Result<CheckpointStatus> result) {
      const std::lock_guard lock(mutex);
      answer = std::move(result);
      changed.notify_all();
    });
    for (const auto& task : queue.take_tasks()) task(processor);
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return answer.has_value(); });
    return *answer;
  }

  std::uint64_t durable_after_tasks() {
    for (const auto& task : queue.take_tasks()) task(processor);
    return source->durable;
  }

  FaultyFileSystem files;
  CheckpointStore store{files, "/state", 2};
  StreamProcessor processor{make(), AttributeNames(4), 1};
  BlockQueue queue{1 << 20};
  boost::asio::thread_pool worker{1};
  std::optional<Error> refusal;
  int checked = 0;
  std::shared_ptr<Source> source;
  Checkpointer checkpointer;
};

}  // namespace

TEST_CASE(
    "a state that could not be restored is not saved: a checkpoint that failed, and nothing is durable") {
  Bench bench;
  bench.processor.sources().set_limit(1);
  bench.source = *bench.processor.sources().find_or_add("source");
  REQUIRE(bench.make_checkpoint().has_value());
  const auto before = bench.files.list("/state").value();
  CHECK(before.size() == 1);

  bench.refusal = failure(ErrorCode::kCorrupt, "the array 'weights' holds a number that is not finite");
  bench.source->records = 7;
  for (std::uint64_t n = 1; n < 4; ++n) {
    const auto failed = bench.make_checkpoint();
    REQUIRE(!failed.has_value());
    CHECK(failed.error().message ==
          "the state could not be restored, and is not saved: the array 'weights' holds a number that is not "
          "finite; the last checkpoint stays");
    CHECK(bench.checkpointer.status().failures == n);
    CHECK(bench.checkpointer.status().last_error == failed.error().message);
    CHECK(bench.durable_after_tasks() == 0);
    CHECK(bench.files.list("/state").value() == before);
  }
  CHECK(!bench.checkpointer.save_now(bench.processor).has_value());
  CHECK(bench.files.list("/state").value() == before);

  bench.refusal.reset();
  REQUIRE(bench.make_checkpoint().has_value());
  CHECK(bench.durable_after_tasks() == 7);
  CHECK(bench.checkpointer.status().last_error.empty());
  CHECK(bench.files.list("/state").value().size() == 2);
  CHECK(bench.checked == 6);
}

TEST_CASE("a checkpoint that was asked for and does not come is overdue until one is durable") {
  using namespace std::chrono_literals;
  Bench bench;
  Checkpointer& checkpointer = bench.checkpointer;
  const auto overdue = [&](Checkpointer::Clock::duration later) {
    return checkpointer.status(Checkpointer::Clock::now() + later).overdue_seconds;
  };
  REQUIRE(bench.make_checkpoint().has_value());
  CHECK(!overdue(24h));  // nobody asked for another one
  checkpointer.set_every(10s);
  checkpointer.request_if_changed({});
  CHECK(!overdue(50s));
  CHECK(*overdue(2h) > 3600);
  checkpointer.set_every(1h);
  CHECK(!overdue(2h));
  CHECK(overdue(4h));
  for (const auto& task : bench.queue.take_tasks()) task(bench.processor);  // nothing has changed
  CHECK(!overdue(24h));
  checkpointer.request({});
  CHECK(overdue(4h));
  REQUIRE(bench.make_checkpoint().has_value());
  CHECK(!overdue(24h));
}

TEST_CASE("a number that is only reported stops no checkpoint, and begins again after a restart") {
  Bench bench;
  State state;
  state.begin();
  bench.processor.save(state);
  state.finish();
  const double none = std::numeric_limits<double>::quiet_NaN();
  state.put<double>("progressive.mean", 1)[0] = none;
  state.put<std::uint64_t>("progressive.count", 1)[0] = 7;
  state.put<double>("labels.spread", 2)[1] = none;
  const double wait[] = {3, none};
  state.put_copy<double>("past.0.best_wait", wait);
  CHECK(StreamProcessor::check(state, 4).error().message.find("not finite") != std::string::npos);
  CHECK(reset_reports(state).size() == 8);
  CHECK(StreamProcessor::check(state, 4).has_value());
  CHECK(state.get_number<std::uint64_t>("progressive.count").value() == 0);
  CHECK(state.get<double>("past.0.best_wait", 2).value()[0] == 3);
  CHECK(state.get<double>("past.0.best_wait", 2).value()[1] == 0);
  CHECK(reset_reports(state).empty());
}

}  // namespace checkpointer_test
