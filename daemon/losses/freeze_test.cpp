#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "daemon/losses/hold_out.h"
#include "daemon/training/plan_desk.h"
#include "daemon/training/stream_processor_test_support.h"

namespace freeze_test {

using namespace glimpse;
using namespace glimpse::stream_processor_test;

TEST_CASE("what comes after a freeze is learned as if nothing had come during it, to the bit") {
  auto straight = make_processor();
  work(straight, make_feed(straight), some_lines(0, 50) + some_lines(90, 200));

  auto frozen = make_processor();
  const auto feed = make_feed(frozen);
  work(frozen, feed, some_lines(0, 50));
  const std::vector<double> before = weights(frozen);
  frozen.freeze().set_frozen(true);
  const Worked worked = work(frozen, feed, some_lines(50, 90));
  CHECK(worked.result.learned == 0);
  CHECK(worked.result.skipped == 40);
  CHECK(worked.result.frozen == 40);
  CHECK(weights(frozen) == before);
  CHECK(frozen.learner().counts().examples == 50);
  frozen.freeze().set_frozen(false);
  work(frozen, feed, some_lines(90, 200));
  CHECK(weights(frozen) == weights(straight));
  CHECK(saved(frozen).get<std::uint64_t>("random").value()[0] ==
        saved(straight).get<std::uint64_t>("random").value()[0]);
}

TEST_CASE("a freeze takes effect between two records of a block, and their source goes on behind them") {
  auto processor = make_processor();
  StreamProcessor::Hooks hooks;
  int asked = 0;
  hooks.wants_pause = [&] { return asked++ == 40; };
  hooks.pause = [&] { processor.freeze().set_frozen(true); };
  processor.set_hooks(hooks);
  const auto feed = make_feed(processor, "file");
  work(processor, feed, some_lines(0, 100));
  CHECK(processor.learner().counts().examples == 40);
  CHECK(feed->records == 100);

  auto restored = make_processor();
  REQUIRE(restored.restore(saved(processor)).has_value());
  CHECK(restored.freeze().is_frozen());
  CHECK(restored.freeze().report().records == 60);
  CHECK(make_feed(restored, "file")->records == 100);
}

TEST_CASE("records that come while frozen are judged by the model that answers, and the loss is kept") {
  auto processor = make_processor();
  const auto feed = make_feed(processor);
  work(processor, feed, some_lines(0, 50));
  processor.freeze().set_frozen(true);
  const double prediction = std::stod(work(processor, feed, "| 0:1 1:1\n").result.replies);
  work(processor, feed, "1 | 0:1 1:1\n1 0 | 0:1\n");  // the second is of no importance
  CHECK(processor.freeze().report().records == 2);
  CHECK(processor.freeze().report().values == 2);
  CHECK(processor.freeze().report().loss.count == 1);
  CHECK(processor.freeze().report().loss.mean == (prediction - 1) * (prediction - 1));

  auto restored = make_processor();
  REQUIRE(restored.restore(saved(processor)).has_value());
  CHECK(restored.freeze().report().loss.mean == processor.freeze().report().loss.mean);
}

TEST_CASE("a record that stops everything, and is read again, counts once while frozen") {
  auto processor = make_processor();
  processor.freeze().set_frozen(true);
  const auto feed = make_feed(processor, "file");
  CHECK_FALSE(work(processor, feed, "1 | 0:1\n1 | 0:x\n", true).going);
  CHECK(processor.freeze().report().records == 1);
  work(processor, feed, "1 | 0:2\n");
  CHECK(processor.freeze().report().records == 2);
}

TEST_CASE("names of records that come while frozen are not kept") {
  auto processor = make_processor();
  const auto feed = make_feed(processor);
  processor.freeze().set_frozen(true);
  work(processor, feed, "1 | age:1 sex:2\n");
  CHECK(processor.names().size() == 0);
  processor.freeze().set_frozen(false);
  work(processor, feed, "1 | sex:2\n");
  CHECK(processor.names().callable_name(0) == "sex");
}

TEST_CASE("while frozen no plan is given out, and answers to open ones wait") {
  auto processor = make_processor();
  processor.set_buying(10, 1, {});
  AskedPlans plans;
  REQUIRE(ask(processor, 1, std::nullopt, 0, 1000, plans).has_value());
  processor.freeze().set_frozen(true);
  AskedPlans more;
  const Status refused = ask(processor, 1, std::nullopt, 0, 1000, more);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().message.find("frozen") != std::string::npos);

  TellBatch batch;
  batch.arena = format_plan_id(plans.rows.front().id);
  Told item;
  item.id = batch.arena;
  item.label = 1;
  item.has_values = item.in_plan_order = true;
  for (std::size_t i = 0; i < plans.attributes.size(); ++i) {
    Told::Value value{};
    value.value = 0.5;
    batch.values.push_back(value);
  }
  item.values_end = batch.values.size();
  Door door;
  const TellAnswer answer = tell(processor, door, batch, item, 1);
  CHECK(answer.status == TellStatus::kFrozen);
  CHECK(is_error(answer.status));
  CHECK(std::string(name_of(answer.status)) == "frozen");
  CHECK(processor.plans().open() == 1);
  processor.freeze().set_frozen(false);
  CHECK(tell(processor, door, batch, item, 1).status == TellStatus::kLearned);
  // An answer that was lost is told again, also while frozen.
  processor.freeze().set_frozen(true);
  CHECK(tell(processor, door, batch, item, 1).status == TellStatus::kDuplicate);
}

TEST_CASE("a state whose freeze is neither on nor off is refused") {
  Freeze freeze;
  freeze.set_frozen(true);
  State state;
  state.begin();
  freeze.save(state);
  state.finish();
  CHECK(Freeze().restore(state).has_value());
  state.begin();
  freeze.save(state);
  state.put<std::uint64_t>("frozen.counts", 3)[0] = 2;
  state.finish();
  const Status status = Freeze().restore(state);
  REQUIRE_FALSE(status.has_value());
  CHECK(status.error().code == ErrorCode::kCorrupt);
}

}  // namespace freeze_test
