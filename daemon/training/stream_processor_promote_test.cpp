#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "daemon/statistics/statistics.h"
#include "daemon/training/stream_processor_test_support.h"

namespace stream_processor_promote_test {

using namespace glimpse;
using namespace glimpse::stream_processor_test;

namespace {

StreamProcessor restored(const State& state, const char* algorithm = "two-phase-ddaerr") {
  auto processor = make_processor(algorithm);
  REQUIRE(processor.restore(state).has_value());
  return processor;
}

std::uint64_t first_random(const StreamProcessor& processor) {
  return saved(processor).get<std::uint64_t>("random").value()[0];
}

}  // namespace

TEST_CASE("a promotion that is undone leaves what would have been without it, to the bit") {
  for (const char* const algorithm : {"two-phase-ddaerr", "pairwise", "apple"}) {
    CAPTURE(algorithm);
    auto processor = make_processor(algorithm);
    auto straight = make_processor(algorithm);
    for (StreamProcessor* const one : {&processor, &straight}) one->hold_out().set_share(0.1);
    const auto feed = make_feed(processor, "file");
    const auto same = make_feed(straight, "file");
    work(processor, feed, some_lines(0, 60));
    auto other = restored(saved(processor), algorithm);
    work(processor, feed, some_lines(60, 130));
    work(straight, same, some_lines(0, 130));
    HistorySample sample;
    sample[HistoryColumn::kExamples] = 70;
    for (StreamProcessor* const one : {&processor, &straight}) one->history().add(sample);

    REQUIRE(processor.promote(other, "checkpoint-x").has_value());
    CHECK(processor.history().examples() == 0);
    processor.undo_promotion(other);
    CHECK(processor.history().examples() == 70);
    CHECK(processor.promotion().count == 0);
    CHECK(weights(processor) == weights(straight));
    work(processor, feed, some_lines(130, 230));
    work(straight, same, some_lines(130, 230));
    CHECK(weights(processor) == weights(straight));
    CHECK(first_random(processor) == first_random(straight));
    CHECK(processor.hold_out().report().loss.mean == straight.hold_out().report().loss.mean);
  }
}

TEST_CASE("what comes after a promotion is learned as by a start from that checkpoint, to the bit") {
  for (const char* const algorithm : {"two-phase-ddaerr", "pairwise", "apple"}) {
    CAPTURE(algorithm);
    auto processor = make_processor(algorithm);
    processor.hold_out().set_share(0.1);
    const auto feed = make_feed(processor, "file");
    work(processor, feed, some_lines(0, 60));
    const State then = saved(processor);
    auto other = restored(then, algorithm);
    other.hold_out().set_share(0.1);
    auto straight = restored(then, algorithm);
    straight.hold_out().set_share(0.1);
    const std::uint64_t examples = processor.learner().counts().examples;
    work(processor, feed, some_lines(60, 130));
    const std::uint64_t replaced = processor.learner().counts().examples;

    REQUIRE(processor.promote(other, "checkpoint-x").has_value());
    CHECK(processor.learner().counts().examples == examples);
    CHECK(processor.promotion().count == 1);
    CHECK(processor.promotion().checkpoint == "checkpoint-x");
    CHECK(processor.promotion().examples == examples);
    CHECK(processor.promotion().replaced_examples == replaced);
    CHECK(processor.life() == 1);
    CHECK(weights(processor) == weights(straight));
    CHECK(feed->records == 130);  // which is used up

    work(processor, feed, some_lines(130, 230));
    work(straight, make_feed(straight), some_lines(130, 230));
    CHECK(weights(processor) == weights(straight));
    CHECK(first_random(processor) == first_random(straight));
    CHECK(processor.hold_out().report().records == straight.hold_out().report().records);
    CHECK(processor.hold_out().report().loss.mean == straight.hold_out().report().loss.mean);

    const auto again = restored(saved(processor), algorithm);
    CHECK(again.promotion().checkpoint == "checkpoint-x");
    CHECK(again.promotion().replaced_examples == replaced);
    CHECK(again.life() == 0);
    CHECK(weights(again) == weights(straight));
  }
}

TEST_CASE("amid a block the rest is learned by the model that was promoted") {
  auto processor = make_processor();
  const auto feed = make_feed(processor);
  work(processor, feed, some_lines(0, 20));
  const State then = saved(processor);
  auto other = restored(then);
  StreamProcessor::Hooks hooks;
  int asked = 0;
  hooks.wants_pause = [&] { return asked++ == 30; };
  hooks.pause = [&] { REQUIRE(processor.promote(other, "x").has_value()); };
  processor.set_hooks(hooks);
  work(processor, feed, some_lines(20, 120));
  auto straight = restored(then);
  work(straight, make_feed(straight), some_lines(50, 120));
  CHECK(weights(processor) == weights(straight));
  CHECK(processor.learner().counts().examples == 90);
}

TEST_CASE("a promotion leaves the freeze, open plans and what was spent as they were") {
  auto processor = make_processor("pairwise");
  processor.set_buying(10, 1, {1000, std::nullopt});
  const auto feed = make_feed(processor);
  work(processor, feed, some_lines(0, 10));
  auto other = restored(saved(processor), "pairwise");
  work(processor, feed, some_lines(10, 30));
  REQUIRE(processor.draw_plan(nullptr).has_value());
  processor.plans().give(processor.scratch_plan(), 3, 1e12);
  processor.freeze().set_frozen(true);
  work(processor, feed, some_lines(30, 35));
  const SpendingReport before = processor.buying().report();
  CHECK(before.attributes == 90);

  REQUIRE(processor.promote(other, "x").has_value());
  CHECK(processor.freeze().is_frozen());
  CHECK(processor.freeze().report().records == 5);
  CHECK(processor.plans().open() == 1);
  CHECK(processor.learner().counts().attributes_revealed == 30);
  CHECK(processor.buying().report().attributes == 90);
  CHECK(processor.buying().report().cost == before.cost);
  CHECK(processor.buying().report().attributes_reserved == 3);
  processor.freeze().set_frozen(false);
  work(processor, feed, some_lines(35, 45));
  CHECK(processor.buying().report().attributes == 120);

  auto again = make_processor("pairwise");
  again.set_buying(10, 1, {1000, std::nullopt});
  REQUIRE(again.restore(saved(processor)).has_value());
  CHECK(again.buying().report().attributes == 120);
  CHECK(again.learner().counts().attributes_revealed == 60);
  // Forward again, to a learner that counts more: nothing is counted twice.
  auto later = make_processor("pairwise");
  work(later, make_feed(later), some_lines(0, 35));
  REQUIRE(again.promote(later, "y").has_value());
  CHECK(again.buying().report().attributes == 120);
  CHECK(again.promotion().count == 2);
}

TEST_CASE("a checkpoint whose names do not go on is refused, and nothing changes") {
  auto processor = make_processor();
  REQUIRE(processor.names().fix({"a", "b", "c", "d"}).has_value());
  work(processor, make_feed(processor), some_lines(0, 30));
  auto other = make_processor();
  REQUIRE(other.names().fix({"b", "a", "c", "d"}).has_value());
  const std::vector<double> before = weights(processor);
  const Status status = processor.promote(other, "x");
  CHECK(status.error().code == ErrorCode::kMismatch);
  CHECK(status.error().message == "its attribute 0 is called 'b', and now 'a'");
  CHECK(weights(processor) == before);
  CHECK_FALSE(processor.promotion().is_any());
  CHECK(processor.life() == 0);
}

TEST_CASE("words that came since are categories of the model that was promoted as well") {
  auto processor = make_processor("pairwise");
  const auto feed = make_feed(processor, "", Format::kNdjson);
  const auto rows = [](const std::string& words) {
    std::string lines;
    for (int i = 0; i < 40; ++i)
      lines += fmt::format("{{\"label\": {}, \"values\": [{}, 1, 0.5, \"{}\"]}}\n", i % 3, i % 5,
                           words[static_cast<std::size_t>(i) % words.size()]);
    return lines;
  };
  auto other = restored(saved(processor), "pairwise");  // before any word
  CHECK(work(processor, feed, rows("MFX")).result.learned == 40);
  REQUIRE(processor.promote(other, "x").has_value());
  CHECK(processor.learner().features().is_category(3));
  CHECK(work(processor, feed, rows("YX")).result.learned == 40);
  auto straight = make_processor("pairwise");
  work(straight, make_feed(straight, "", Format::kNdjson), rows("YX"));
  CHECK(weights(processor) == weights(straight));
  REQUIRE(StreamProcessor::check(saved(processor), 4).has_value());
}

TEST_CASE("classes that came since a state without any stay classes, as after a start from the checkpoint") {
  auto processor = make_processor("pairwise");
  processor.names().categories().set_label_limit(9, "");
  const auto feed = make_feed(processor, "", Format::kNdjson);
  const auto rows = [](const std::string& words) {
    std::string lines;
    for (int i = 0; i < 60; ++i)
      lines += fmt::format("{{\"label\": \"{}\", \"values\": [{}, 1, 0.5, {}]}}\n",
                           words[static_cast<std::size_t>(i) % words.size()], i % 5, i % 3);
    return lines;
  };
  auto empty = restored(saved(processor), "pairwise");
  CHECK(work(processor, feed, rows("CAB")).result.learned == 60);
  REQUIRE(processor.is_classifier());
  REQUIRE(processor.promote(empty, "x").has_value());
  CHECK(processor.is_classifier());
  CHECK(processor.learner().counts().examples == 0);
  CHECK(processor.learner().classes().size() == 3);
  CHECK(processor.learner().classes().count(0) == 0);
  auto again = restored(saved(processor), "pairwise");
  again.names().categories().set_label_limit(9, "");
  CHECK(again.is_classifier());
  CHECK(again.learner().classes().size() == 3);
  CHECK(work(processor, feed, rows("BD")).result.learned == 60);
  CHECK(work(again, make_feed(again, "", Format::kNdjson), rows("BD")).result.learned == 60);
  CHECK(processor.names().categories().label_words() == std::vector<std::string>{"C", "A", "B", "D"});
  CHECK(processor.learner().classes().size() == 4);
  CHECK(processor.learner().classes().count(1) == 0);
  CHECK(weights(again) == weights(processor));
}

TEST_CASE("a promotion that is damaged in a checkpoint is refused") {
  auto processor = make_processor();
  auto other = make_processor();
  REQUIRE(processor.promote(other, "x").has_value());
  State state = saved(processor);
  const std::uint64_t none[] = {0, 1, 2};
  state.put_copy<std::uint64_t>("promotion.counts", none);
  CHECK(Promotion().restore(state).error().message == "promotion.counts begins with 0; must be above");
  CHECK(StreamProcessor::check(state, 4).error().code == ErrorCode::kCorrupt);
}

}  // namespace stream_processor_promote_test
