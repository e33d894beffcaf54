#include "daemon/training/stream_processor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <memory>
#include <new>
#include <string>

#include "learn/factory.h"

using namespace glimpse;

namespace {

StreamProcessor make_processor(const char* algorithm = "two-phase-ddaerr") {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = 4;
  options.budget = 3;
  return StreamProcessor(*make_learner(options), AttributeNames(4), 7);
}

std::shared_ptr<Feed> make_feed(StreamProcessor& processor, const std::string& file = "",
                                Format format = Format::kVw) {
  auto door = std::make_shared<Door>();
  door->name = "test";
  FormatOptions options;
  options.dimension = 4;
  return processor.make_feed(door, format, options, 1000, file);
}

struct Worked {
  bool going;
  BlockResult result;
};

Worked work(StreamProcessor& processor, const std::shared_ptr<Feed>& feed, std::string lines,
            bool strict = false) {
  Block block;
  block.feed = feed;
  block.bytes = Bytes(std::move(lines));
  Worked worked;
  worked.going = processor.process(block, strict, worked.result);
  return worked;
}

std::vector<double> weights(const StreamProcessor& processor) {
  Model model;
  processor.learner().model(model);
  model.weights.push_back(model.bias);
  return model.weights;
}

std::string some_lines(int first, int last) {
  std::string lines;
  for (int i = first; i < last; ++i)
    lines += fmt::format("{} | 0:{} 1:{} 2:{} 3:1\n", i % 3 - 1, i % 5 * 0.25, i % 7 * 0.5, i % 2);
  return lines;
}

State saved(const StreamProcessor& processor) {
  State state;
  state.begin();
  processor.save(state);
  state.finish();
  return state;
}

// Where it comes to a line that begins so, there is no memory for looking for its end, nor for opening it.
class PoorReader final : public ExampleReader {
 public:
  /// And none for the values of the `poor`-th record whose values are looked at.
  explicit PoorReader(std::unique_ptr<ExampleReader> reader, int poor = 0)
      : reader_(std::move(reader)), poor_(poor) {}

  std::size_t line_length(std::string_view rest) override {
    if (rest.starts_with("2") || rest.starts_with("3")) throw std::bad_alloc();
    return reader_->line_length(rest);
  }
  Status open(std::string_view record) override {
    if (record.starts_with("2")) throw std::bad_alloc();
    const Status status = reader_->open(record);
    has_example_ = reader_->has_example();
    head_ = reader_->head();
    return status;
  }
  Status reveal(std::span<const Attribute> attributes, std::span<double> values) override {
    if (--poor_ == 0) throw std::bad_alloc();
    return reader_->reveal(attributes, values);
  }
  Status reveal_all(std::vector<Entry>& entries) override { return reader_->reveal_all(entries); }

 private:
  const std::unique_ptr<ExampleReader> reader_;
  int poor_;
};

}  // namespace

TEST_CASE("a line whose end is looked for without memory is an error only if it cannot be opened either") {
  auto processor = make_processor();
  const auto feed = make_feed(processor, "", Format::kCsv);
  feed->reader = std::make_unique<PoorReader>(std::move(feed->reader));
  const auto worked = work(processor, feed, "1,0,0,0,1\n2,0,0,0,1\n3,0,0,0,1\n1,0,1,0,1\n");
  CHECK(worked.going);
  CHECK(worked.result.learned == 3);
  REQUIRE(worked.result.errors.size() == 1);
  CHECK(worked.result.errors[0].record == 2);
  CHECK(worked.result.errors[0].message == "not enough memory for this record; not learned");
}

TEST_CASE("labelled lines are learned and silent, unlabelled ones answered") {
  auto processor = make_processor();
  const auto feed = make_feed(processor);
  const auto worked = work(processor, feed, "1 | 0:1\n| 0:1\n\n0.5 'tag| 1:1\n'ask| 1:1\n");
  CHECK(worked.going);
  CHECK(worked.result.learned == 2);
  CHECK(processor.predictions() == 2);
  CHECK(worked.result.replies.ends_with(" ask\n"));
  CHECK(std::count(worked.result.replies.begin(), worked.result.replies.end(), '\n') == 2);
  CHECK(feed->door->examples == 2);
  CHECK(feed->door->predictions == 2);
  CHECK(feed->position == feed->door->bytes);
  CHECK(feed->records == 5);
}

TEST_CASE("replies of each kind") {
  for (const auto& [replies, lines] :
       {std::pair{Replies::kUnlabelled, 1}, {Replies::kAll, 2}, {Replies::kNone, 0}}) {
    auto processor = make_processor();
    const auto feed = make_feed(processor);
    feed->replies = replies;
    const auto worked = work(processor, feed, "1 | 0:1\n| 0:1\n");
    CHECK(std::count(worked.result.replies.begin(), worked.result.replies.end(), '\n') == lines);
    CHECK(worked.result.learned == 1);
  }
}

TEST_CASE("a labelled line is predicted before it is learned") {
  auto processor = make_processor();
  const auto feed = make_feed(processor);
  feed->replies = Replies::kAll;
  processor.set_clip({Clip::Kind::kOff});  // to see what was learned, not the range of the labels
  CHECK(work(processor, feed, "1 | 0:1\n").result.replies == "0\n");
  CHECK(work(processor, feed, "1 | 0:1\n").result.replies != "0\n");
}

TEST_CASE("predictions are clipped to the labels that were learned before the line") {
  auto processor = make_processor();
  const auto feed = make_feed(processor);
  feed->replies = Replies::kAll;
  work(processor, feed, "1 | 0:1 1:1\n-1 | 0:-1 1:-1\n");
  const auto asked = [&](const char* line) { return work(processor, feed, line).result.replies; };
  CHECK(asked("| 0:1e6 1:1e6\n") == "1\n");
  CHECK(asked("5 | 0:1e6 1:1e6\n") == "1\n");  // what it teaches comes after it
  CHECK(asked("| 0:1e9 1:1e9\n") == "5\n");
  CHECK(asked("| 0:-1e9 1:-1e9\n") == "-1\n");
  processor.set_clip({Clip::Kind::kRange, 0, 2});
  CHECK(asked("| 0:1e9 1:1e9\n| 0:-1e9 1:-1e9\n") == "2\n0\n");
}

TEST_CASE("with --clip auto pairwise believes in an attribute to 1.5 times the largest value it has seen") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    auto processor = make_processor(algorithm);
    const auto feed = make_feed(processor);
    feed->learns = false;
    for (int i = 0; i < 200; ++i)
      work(processor, make_feed(processor),
           fmt::format("{} | 0:{} 1:{} 2:1 3:1\n", i % 5 * 0.25 + i % 7 * 100, i % 5 * 0.25, i % 7));
    const auto asked = [&](const char* line) { return work(processor, feed, line).result.predictions[0]; };
    const double far = asked("| 0:1000 2:1 3:1\n");
    CHECK(far == asked("| 0:1.5 2:1 3:1\n"));
    CHECK(far < processor.learner().labels().max());
    CHECK(far != asked("| 0:1.4 2:1 3:1\n"));
    processor.set_clip({Clip::Kind::kOff});
    CHECK(asked("| 0:1000 2:1 3:1\n") != far);
    processor.set_clip({Clip::Kind::kRange, -1e9, 1e9});
    CHECK(asked("| 0:1000 2:1 3:1\n") != far);
  }
}

TEST_CASE("with --clip auto a wild value counts as its attribute's mean, once many others were seen") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    auto processor = make_processor(algorithm);
    const auto feed = make_feed(processor);
    feed->learns = false;
    for (int i = 0; i < 1000; ++i)
      work(processor, make_feed(processor),
           fmt::format("{} | 0:{} 1:{} 2:{} 3:1\n", i % 5 * 0.25 + i % 7, i % 5 * 0.25, i % 7, i % 3));
    const auto asked = [&](const std::string& line) {
      return work(processor, feed, line).result.predictions[0];
    };
    const double mean = processor.learner().sampling_row(0).moment.mean;
    const double usual = asked(fmt::format("| 0:{} 2:1 3:1\n", mean));
    CHECK(asked("| 0:1000 2:1 3:1\n") == doctest::Approx(usual));
    CHECK(asked("| 0:-1000 2:1 3:1\n") == doctest::Approx(usual));
    CHECK(asked("| 0:1.5 2:1 3:1\n") != doctest::Approx(usual));
    processor.set_clip({Clip::Kind::kOff});
    CHECK(asked("| 0:1000 2:1 3:1\n") != doctest::Approx(usual));
  }
}

TEST_CASE("before the first label nothing is clipped, and nothing by an example of importance 0") {
  auto processor = make_processor();
  const auto feed = make_feed(processor);
  CHECK(work(processor, feed, "| 0:1\n9 0 | 0:1\n| 0:1\n").result.replies == "0\n0\n");
  CHECK(processor.learner().labels().empty());
}

TEST_CASE("without clipping a prediction is bias plus the inner product") {
  auto processor = make_processor();
  processor.set_clip({Clip::Kind::kOff});
  const auto feed = make_feed(processor);
  feed->learns = false;
  work(processor, make_feed(processor), some_lines(0, 500));
  const auto predictions = work(processor, feed, "| 0:100\n| 0:-100\n").result.predictions;
  const auto w = weights(processor);
  REQUIRE(predictions.size() == 2);
  CHECK(predictions[0] == doctest::Approx(w[4] + 100 * w[0]).epsilon(1e-12));
  CHECK(predictions[1] == doctest::Approx(w[4] - 100 * w[0]).epsilon(1e-12));
  CHECK(std::abs(predictions[0]) > 1);
}

TEST_CASE("a restored processor clips as the one that was saved") {
  auto first = make_processor();
  work(first, make_feed(first), some_lines(0, 100));
  auto second = make_processor();
  REQUIRE(second.restore(saved(first)).has_value());
  const char* questions = "| 0:1e6\n| 0:-1e6\n| 0:0.5\n";
  const std::string answers = work(second, make_feed(second), questions).result.replies;
  CHECK(answers == work(first, make_feed(first), questions).result.replies);
  CHECK((answers.starts_with("1\n-1\n") || answers.starts_with("-1\n1\n")));
}

TEST_CASE("a bad line is counted, told and skipped") {
  auto processor = make_processor();
  const auto feed = make_feed(processor);
  feed->error_replies = true;
  int told = 0;
  StreamProcessor::Hooks hooks;
  hooks.error = [&](const Feed&, const RecordError& error) { told += static_cast<int>(error.record); };
  processor.set_hooks(hooks);
  const auto worked = work(processor, feed, "1 | 0:1\nbad\n1 | 9:1\n1 | 0:1\n");
  CHECK(worked.going);
  CHECK(worked.result.learned == 2);
  CHECK(worked.result.error_count == 2);
  CHECK(worked.result.errors.size() == 2);
  CHECK(worked.result.errors[0].record == 2);
  CHECK(worked.result.replies.starts_with("error: line 2: "));
  CHECK(feed->door->parse_errors == 2);
  CHECK(told == 2 + 3);
}

TEST_CASE("strict stops at the bad line, and whoever resumes meets it again") {
  auto processor = make_processor();
  const auto feed = make_feed(processor, "file");
  const auto worked = work(processor, feed, "1 | 0:1\nbad\n1 | 0:1\n", true);
  CHECK_FALSE(worked.going);
  CHECK(worked.result.learned == 1);
  CHECK(feed->position == 8);
  CHECK(feed->records == 1);
}

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

TEST_CASE("a record of a source that there is no memory for is left, with its plan, and can come again") {
  auto straight = make_processor();
  work(straight, make_feed(straight, "file"), some_lines(0, 60));

  auto processor = make_processor();
  auto feed = make_feed(processor, "file");
  feed->reader = std::make_unique<PoorReader>(std::move(feed->reader), 21);
  int told = 0;
  feed->gave_up = [&] { ++told; };
  feed->replies = Replies::kAll;
  const auto worked = work(processor, feed, some_lines(0, 60));
  CHECK(worked.going);
  CHECK(told == 1);
  CHECK(std::count(worked.result.replies.begin(), worked.result.replies.end(), '\n') == 20);
  CHECK(worked.result.gave_up);
  CHECK(worked.result.learned == 20);
  CHECK(worked.result.errors[0].message == "not enough memory for this record; not learned");
  CHECK(feed->records == 20);
  CHECK(feed->position == some_lines(0, 20).size());
  CHECK(work(processor, feed, some_lines(20, 60)).result.learned == 0);  // what was on its way is thrown away

  auto restored = make_processor();
  REQUIRE(restored.restore(saved(processor)).has_value());
  const auto again = make_feed(restored, "file");
  again->replies = Replies::kAll;
  work(restored, again, some_lines(20, 60));
  CHECK(weights(restored) == weights(straight));
  CHECK(restored.predictions() == 60);
}

TEST_CASE("strict stops at a record beyond the largest magnitude before its values are paid for") {
  auto processor = make_processor();
  const auto feed = make_feed(processor, "file");
  const std::string mended = "1 | 0:1 1:1 2:1 3:1\n";
  CHECK_FALSE(work(processor, feed, some_lines(0, 5) + "1e300 | 0:1 1:1 2:1 3:1\n", true).going);
  CHECK(feed->records == 5);
  CHECK_FALSE(work(processor, feed, "1 | 0:1e300 1:1e300 2:1e300 3:1e300\n", true).going);
  CHECK(feed->records == 5);
  work(processor, feed, mended + some_lines(5, 9), true);
  auto straight = make_processor();
  work(straight, make_feed(straight, "file"), some_lines(0, 5) + mended + some_lines(5, 9));
  CHECK(weights(processor) == weights(straight));
  CHECK(processor.learner().counts().attributes_revealed == straight.learner().counts().attributes_revealed);
  CHECK(processor.learner().counts().out_of_range == 0);
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

TEST_CASE("a feed that only asks learns nothing, whatever its labels") {
  auto processor = make_processor();
  const auto feed = make_feed(processor);
  feed->learns = false;
  const auto worked = work(processor, feed, "1 | 0:1\n| 0:1\n");
  CHECK(worked.result.predictions.size() == 2);
  CHECK(worked.result.replies.empty());
  CHECK(processor.learner().counts().examples == 0);
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

TEST_CASE("a question asked in a pause changes nothing") {
  auto straight = make_processor();
  work(straight, make_feed(straight), some_lines(0, 100));

  auto processor = make_processor();
  const auto asking = make_feed(processor);
  asking->learns = false;
  StreamProcessor::Hooks hooks;
  hooks.wants_pause = [] { return true; };
  hooks.pause = [&] { CHECK(work(processor, asking, "| 0:1 3:1\n").result.predictions.size() == 1); };
  processor.set_hooks(hooks);
  work(processor, make_feed(processor), some_lines(0, 100));
  CHECK(weights(processor) == weights(straight));
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

TEST_CASE("of a file that was cut short nothing is believed from there on") {
  auto processor = make_processor();
  const auto feed = make_feed(processor, "/file");
  std::atomic<bool> lost{false};
  StreamProcessor::Hooks hooks;
  hooks.learned = [&](double) { lost = processor.learner().counts().examples == 3; };  // amid the block
  processor.set_hooks(hooks);
  Block block;
  block.feed = feed;
  block.bytes = Bytes(some_lines(0, 10));
  block.lost = &lost;
  BlockResult result;
  CHECK(processor.process(block, false, result));
  CHECK(result.learned == 3);
  REQUIRE(result.errors.size() == 1);
  CHECK(result.errors[0].message == "the file was cut short while it was read");
  CHECK(feed->position == some_lines(0, 3).size());
  CHECK(feed->records == 3);
  CHECK(work(processor, feed, some_lines(3, 4)).result.learned == 1);  // other memory
}
