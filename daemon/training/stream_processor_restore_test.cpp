// Saved and restored: what goes on is what would have been, to the bit, and inputs are known by their names.

#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "daemon/training/stream_processor_test_support.h"

namespace stream_processor_restore_test {

using namespace glimpse;
using namespace glimpse::stream_processor_test;

TEST_CASE("a record that is met again meets the same plan") {
  // Of the second, the values cannot be read.
  const std::string first = some_lines(0, 20);
  const std::string rest = some_lines(20, 60);
  auto straight = make_processor();
  work(straight, make_feed(straight, "file"), first + rest);
  for (const bool mended_at_once : {true, false}) {
    auto stopped = make_processor();
    const auto feed = make_feed(stopped, "file");
    CHECK_FALSE(work(stopped, feed, first + "1 | 0:x 1:x 2:x 3:x\n" + rest, true).going);
    CHECK(feed->records == 20);
    auto restored = make_processor();
    REQUIRE(restored.restore(saved(stopped)).has_value());
    auto& goes_on = mended_at_once ? stopped : restored;
    work(goes_on, mended_at_once ? feed : make_feed(restored, "file"), rest);
    CHECK(weights(goes_on) == weights(straight));
    CHECK(saved(goes_on).get<std::uint64_t>("random").value()[0] ==
          saved(straight).get<std::uint64_t>("random").value()[0]);
  }
}

TEST_CASE("of a file that is read a second time questions are answered, and nothing is learned again") {
  const std::string lines = some_lines(0, 20) + "| 0:1\n| 9:1\n1 | 9:1\n" + some_lines(20, 40);
  auto stopped = make_processor();
  work(stopped, make_feed(stopped, "file"), lines);
  const State state = saved(stopped);
  const std::uint64_t begin = some_lines(0, 20).size();
  REQUIRE((*state.get<std::uint64_t>("inputs.questions"))[0] == begin);
  CHECK((*state.get<std::uint64_t>("inputs.questions"))[1] == 20);

  auto restored = make_processor();
  REQUIRE(restored.restore(state).has_value());
  const auto feed = make_feed(restored, "file");
  CHECK(feed->first_question.position == begin);
  const auto again = make_feed(restored);
  again->error_replies = ErrorReplies::kAnswered;
  again->only_answers = true;
  again->goes_on = feed;
  const BlockResult result = work(restored, again, lines).result;
  CHECK(std::count(result.replies.begin(), result.replies.end(), '\n') == 2);
  CHECK(result.replies.find("\nerror: line 22: ") != std::string::npos);
  CHECK(result.error_count == 1);
  CHECK(weights(restored) == weights(stopped));
  CHECK(saved(restored).get<std::uint64_t>("random").value()[0] ==
        state.get<std::uint64_t>("random").value()[0]);
  CHECK(saved(restored).get<std::uint64_t>("inputs.progress").value()[1] == lines.size());
  CHECK(restored.records() == 0);  // there is nothing to keep
}

TEST_CASE("what a checkpoint does not say of questions is known once the file was read a second time") {
  auto processor = make_processor();
  const auto feed = make_feed(processor, "file");
  work(processor, feed, some_lines(0, 20));
  feed->first_question = {0, 0};
  const auto again = make_feed(processor);
  again->only_answers = true;
  again->goes_on = feed;
  work(processor, again, some_lines(0, 10));
  CHECK(feed->first_question.position == 0);
  work(processor, again, some_lines(10, 20));
  CHECK(feed->first_question.position == RecordPlace().position);
}

TEST_CASE("a restored processor buys nothing more where the saved one had stopped buying") {
  // Of what is left, cheaper plans could be paid for.
  const auto make = [] {
    Prices prices(4);
    for (const auto& [attribute, price] : {std::pair{0, 5}, {1, 4}, {2, 7}, {3, 1}})
      prices.set(static_cast<Attribute>(attribute), price * kMoneyUnit);
    LearnerOptions options;
    options.dimension = 4;
    options.budget = 2;
    options.prices = std::make_shared<const Prices>(prices);
    StreamProcessor processor(*make_learner(options), AttributeNames(4), 7);
    processor.set_buying(10, 1, {std::nullopt, 101 * kMoneyUnit});
    return processor;
  };
  auto straight = make();
  auto stopped = make();
  const auto feed = make_feed(straight, "file");
  const auto first = make_feed(stopped, "file");
  int lines = 0;
  while (!stopped.buying().stopped()) {
    work(straight, feed, some_lines(lines, lines + 1));
    work(stopped, first, some_lines(lines, lines + 1));
    ++lines;
  }
  auto restored = make();
  REQUIRE(restored.restore(saved(stopped)).has_value());
  work(straight, feed, some_lines(lines, 200));
  work(restored, make_feed(restored, "file"), some_lines(lines, 200));
  CHECK(restored.learner().counts().examples == straight.learner().counts().examples);
  CHECK(weights(restored) == weights(straight));
  CHECK(saved(restored).get<std::uint64_t>("random").value()[0] ==
        saved(straight).get<std::uint64_t>("random").value()[0]);
}

TEST_CASE("saved amid a stream and restored, the rest gives the same bits") {
  auto straight = make_processor();
  work(straight, make_feed(straight, "file"), some_lines(0, 1000));

  auto first = make_processor();
  const auto feed = make_feed(first, "file");
  work(first, feed, some_lines(0, 371));
  const State state = saved(first);
  work(first, feed, some_lines(371, 500));  // lost

  auto second = make_processor();
  REQUIRE(second.restore(state).has_value());
  const auto resumed = make_feed(second, "file");
  CHECK(resumed->records == 371);
  CHECK(resumed->position == some_lines(0, 371).size());
  work(second, resumed, some_lines(371, 1000));
  CHECK(weights(second) == weights(straight));
  CHECK(resumed->position == some_lines(0, 1000).size());
}

TEST_CASE("a state taken in a pause amid a block is that of the records before it") {
  auto straight = make_processor();
  work(straight, make_feed(straight), some_lines(0, 100));

  auto processor = make_processor();
  State state;
  StreamProcessor::Hooks hooks;
  int asked = 0;
  hooks.wants_pause = [&] { return asked++ == 40; };
  hooks.pause = [&] { state = saved(processor); };
  processor.set_hooks(hooks);
  work(processor, make_feed(processor, "file"), some_lines(0, 100));
  CHECK(weights(processor) == weights(straight));

  auto second = make_processor();
  REQUIRE(second.restore(state).has_value());
  const auto feed = make_feed(second, "file");
  CHECK(feed->records == 40);
  work(second, feed, some_lines(40, 100));
  CHECK(weights(second) == weights(straight));
}

TEST_CASE("the fingerprint of a file is that of what stands before its position, also amid a block") {
  auto processor = make_processor();
  State state;
  StreamProcessor::Hooks hooks;
  int asked = 0;
  hooks.wants_pause = [&] { return asked++ == 740 + 1; };  // it is asked at the end of a block as well
  hooks.pause = [&] { state = saved(processor); };
  processor.set_hooks(hooks);
  const auto feed = make_feed(processor, "file");
  work(processor, feed, some_lines(0, 500));
  work(processor, feed, some_lines(500, 1000));

  const auto known_after = [](const State& from) {
    auto restored = make_processor();
    REQUIRE(restored.restore(from).has_value());
    // An input that is not opened in this run is still known in the next.
    REQUIRE(restored.restore(saved(restored)).has_value());
    return make_feed(restored, "file")->known_fingerprint;
  };
  const auto of = [](const std::string& read) {
    Fingerprint fingerprint;
    fingerprint.add(read);
    return fingerprint.value();
  };
  CHECK(known_after(state) == of(some_lines(0, 740)));
  CHECK(known_after(saved(processor)) == of(some_lines(0, 1000)));
}

TEST_CASE("inputs of earlier runs are remembered") {
  auto first = make_processor();
  work(first, make_feed(first, "one"), some_lines(0, 10));
  work(first, make_feed(first, "two\xff"), some_lines(0, 20));
  auto second = make_processor();
  REQUIRE(second.restore(saved(first)).has_value());
  work(second, make_feed(second, "three"), some_lines(0, 5));
  auto third = make_processor();
  REQUIRE(third.restore(saved(second)).has_value());
  CHECK(make_feed(third, "one")->records == 10);
  CHECK(make_feed(third, "two\xff")->records == 20);
  CHECK(make_feed(third, "three")->records == 5);
  CHECK(make_feed(third, "four")->records == 0);
}

TEST_CASE("a state whose inputs do not add up is refused") {
  auto processor = make_processor();
  work(processor, make_feed(processor, "name"), some_lines(0, 3));
  State state;
  state.begin();
  processor.learner().save(state);
  processor.names().save(state);
  state.put_copy<std::uint64_t>("random", std::array<std::uint64_t, 4>{1, 2, 3, 4});
  state.put_number("predictions", std::uint64_t{0});
  state.put<std::uint8_t>("inputs.names", 2);
  const std::uint64_t numbers[] = {3, 0, 0};
  state.put_copy<std::uint64_t>("inputs.progress", numbers);
  state.finish();
  const auto status = make_processor().restore(state);
  REQUIRE(status.has_error());
  CHECK(status.error().code == ErrorCode::kCorrupt);
}

}  // namespace stream_processor_restore_test
