// Names and numbers of attributes belong to the record that brings them: they stay if it is learned from, and
// go with it otherwise, in every format.

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "daemon/training/stream_processor.h"
#include "data/formats.h"
#include "learn/factory.h"

namespace stream_names_test {

using namespace glimpse;

namespace {

constexpr std::size_t kDimension = 5;

StreamProcessor make_processor(const char* algorithm = "online-ridge") {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = kDimension;
  options.budget = algorithm == std::string("online-ridge") ? kDimension : 3;
  return StreamProcessor(*make_learner(options), AttributeNames(kDimension), 7);
}

std::shared_ptr<Feed> make_feed(StreamProcessor& processor, Format format) {
  auto door = std::make_shared<Door>();
  door->name = "test";
  return processor.make_feed(door, format, FormatOptions{.dimension = kDimension}, 1000, "");
}

BlockResult work(StreamProcessor& processor, const std::shared_ptr<Feed>& feed, std::string lines,
                 bool strict = false) {
  Block block;
  block.feed = feed;
  block.bytes = Bytes(std::move(lines));
  BlockResult result;
  processor.process(block, strict, result);
  return result;
}

BlockResult learn(StreamProcessor& processor, Format format, std::string lines) {
  return work(processor, make_feed(processor, format), std::move(lines));
}

State saved(const StreamProcessor& processor) {
  State state;
  state.begin();
  processor.save(state);
  state.finish();
  return state;
}

// What is kept of names and numbers.
std::vector<std::vector<std::byte>> dictionary(const StreamProcessor& processor) {
  std::vector<std::vector<std::byte>> arrays;
  const State state = saved(processor);
  for (const Tensor& tensor : state.tensors())
    if (tensor.name.starts_with("names/")) arrays.push_back(tensor.bytes);
  return arrays;
}

// The whole state without one array.
State without(const State& whole, std::string_view left_out) {
  State state;
  state.begin();
  for (const Tensor& tensor : whole.tensors()) {
    if (tensor.name == left_out) continue;
    const auto copy = [&]<class T>(T) { state.put_copy<T>(tensor.name, *whole.get<T>(tensor.name)); };
    switch (tensor.type) {
      case ElementType::kU8:
        copy(std::uint8_t{});
        break;
      case ElementType::kU32:
        copy(std::uint32_t{});
        break;
      case ElementType::kU64:
        copy(std::uint64_t{});
        break;
      case ElementType::kF32:
        copy(float{});
        break;
      case ElementType::kF64:
        copy(double{});
    }
  }
  for (const Text& text : whole.texts()) state.put_text(text.name, text.value);
  state.finish();
  return state;
}

struct Case {
  Format format;
  std::string line;
};

std::string row(std::vector<float> numbers) {
  return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
}

const std::string kNamed = R"({"label": 1, "values": {"a": 1}})";

}  // namespace

TEST_CASE("of a record that is refused no name and no number stays, however late it is refused") {
  const std::vector<Case> cases{
      {Format::kNdjson, R"({"label": 1, "values": {"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1}})"},
      {Format::kNdjson, R"({"label": 1, "values": {"a": 1, "4": 1, "04": 2}})"},
      {Format::kNdjson, R"({"label": 1, "values": {"a": 1, "b": 1e999}})"},
      {Format::kNdjson, R"({"label": 1, "values": {"a": 1, "b": 1e31}})"},
      {Format::kNdjson, R"({"label": 1e31, "values": {"a": 1, "4": 1}})"},
      {Format::kNdjson, R"({"label": 1, "values": {"a": null, "4": 1}})"},  // skipped: a value is missing
      {Format::kNdjson, R"({"label": 1e31, "values": [1, 2, 3, 4, 5]})"},
      {Format::kNdjson, R"({"label": 1, "importance": -1, "values": {"a": 1}})"},
      {Format::kNdjson, R"({"label": 1, "values": {"a": 1}} {})"},
      {Format::kVw, "1 | a b c d e f"},
      {Format::kVw, "1 | a 4 b:1e31"},
      {Format::kVw, "1e31 | a 4"},
      {Format::kVw, "1e31 | 2 4"},
      {Format::kVw, "1 | a:1e308 a:1e308"},
      {Format::kSvmlight, "1e31 1:1 5:1"},
      {Format::kSvmlight, "1 1:1 5:1e31"},
      {Format::kSvmlight, "1 1:1 5:x"},
      {Format::kSvmlight, "1 1:1 1:2 5:1"},
      {Format::kSvmlight, "1e31 5:1 1:1"},
      {Format::kCsv, "1e31,1,2,3,4,5"},
      {Format::kCsv, "1,1,2,3,4,x"},
      {Format::kCsv, "1,1,2,3,4,"},
      {Format::kF32, row({1e31f, 1, 2, 3, 4, 5})},
      {Format::kF32, row({1, 1, 2, 3, 4, 1e31f})},
  };
  for (const Case& c : cases) {
    CAPTURE(name_of(c.format));
    CAPTURE(c.line);
    for (const Replies replies : {Replies::kUnlabelled, Replies::kAll}) {
      for (const bool validates : {false, true}) {
        for (const bool strict : {false, true}) {
          auto processor = make_processor();
          const auto before = dictionary(processor);
          const auto feed = make_feed(processor, c.format);
          feed->replies = replies;
          if (validates) feed->reader = std::make_unique<ValidatingReader>(std::move(feed->reader));
          if (c.format == Format::kCsv) {  // so that the row is no header
            work(processor, feed, ",1,,,,\n");
            REQUIRE(processor.records() == 1);
          }
          const auto result =
              work(processor, feed, c.format == Format::kF32 ? c.line : c.line + "\n", strict);
          CHECK(result.learned == 0);
          CHECK(result.error_count + result.skipped > 0);
          CHECK(dictionary(processor) == before);
        }
      }
    }
  }
}

TEST_CASE("a record for which there is no memory leaves no names") {
  class PoorReader final : public ExampleReader {
   public:
    explicit PoorReader(std::unique_ptr<ExampleReader> reader) : reader_(std::move(reader)) {}
    Status open(std::string_view record) override {
      const Status status = reader_->open(record);
      has_example_ = reader_->has_example();
      head_ = reader_->head();
      return status;
    }
    Status reveal(std::span<const Attribute> attributes, std::span<double> values) override {
      REQUIRE(reader_->reveal(attributes, values).has_value());
      throw std::bad_alloc();
    }
    Status reveal_all(std::vector<Entry>& entries) override { return reader_->reveal_all(entries); }

   private:
    const std::unique_ptr<ExampleReader> reader_;
  };
  auto processor = make_processor();
  const auto before = dictionary(processor);
  const auto feed = make_feed(processor, Format::kNdjson);
  feed->reader = std::make_unique<PoorReader>(std::move(feed->reader));
  CHECK(work(processor, feed, kNamed + "\n").error_count == 1);
  CHECK(dictionary(processor) == before);
}

TEST_CASE(
    "names and numbers of a record that was learned stay when the next is refused before it is opened") {
  auto processor = make_processor();
  const auto feed = make_feed(processor, Format::kNdjson);
  CHECK(work(processor, feed, kNamed + "\n").learned == 1);
  CHECK(work(processor, feed, "# nothing\n\n{\n" + std::string(2000, ' ') + "\n").learned == 0);
  CHECK(processor.names().find("a") == Attribute{0});
}

TEST_CASE("a number that was learned from never becomes a name, in any format and after a restart") {
  const std::vector<Case> all{
      {Format::kCsv, "1,1,2,3,4,5\n"},
      {Format::kNdjson, "{\"label\": 1, \"values\": [1, 2, 3, 4, 5]}\n"},
      {Format::kNdjson, "{\"label\": 1, \"values\": {\"4\": 1, \"0\": 1}}\n"},
      {Format::kSvmlight, "1 1:1 5:1\n"},
      {Format::kSvmlight, "1 5:1 1:1\n"},
      {Format::kVw, "1 | 0 4\n"},
      {Format::kVw, "1 | 4 |x 0\n"},
      {Format::kF32, row({1, 1, 2, 3, 4, 5})},
  };
  for (const Case& c : all) {
    CAPTURE(name_of(c.format));
    CAPTURE(c.line);
    for (const bool restarts : {false, true}) {
      for (const char* algorithm : {"online-ridge", "pairwise", "two-phase-ddaerr"}) {
        auto first = make_processor(algorithm);
        REQUIRE(learn(first, c.format, c.line).learned == 1);
        auto second = make_processor(algorithm);
        REQUIRE(second.restore(saved(first)).has_value());
        auto& processor = restarts ? second : first;
        for (const Format format : {Format::kNdjson, Format::kVw}) {
          const auto refused = learn(processor, format, format == Format::kVw ? "1 | a\n" : kNamed + "\n");
          REQUIRE(refused.errors.size() == 1);
          CHECK(
              refused.errors[0].message ==
              "no index is free for the new attribute 'a': of 5, those from 0 to 4 are in use by number, and "
              "others have names; name them with --attributes FILE");
        }
        // The mend.
        REQUIRE(processor.names().fix({"p", "q", "r", "a", "s"}).has_value());
        const std::string all_named = R"({"label": 1, "values": {"p": 0, "q": 0, "r": 0, "a": 1, "s": 0}})";
        CHECK(learn(processor, Format::kNdjson, all_named + "\n").learned == 1);
        // What an object does not give is unknown now: not learned from by those that need every value.
        const bool is_whole = c.line.find("\"4\"") == std::string::npos;
        if (is_whole) CHECK(learn(processor, c.format, c.line).learned == 1);
      }
    }
  }
}

TEST_CASE("a name that was learned from is never said by number, in any format") {
  const std::vector<Case> all{
      {Format::kCsv, "1,1,2,3,4,5\n"},
      {Format::kNdjson, "{\"label\": 1, \"values\": [1, 2, 3, 4, 5]}\n"},
      {Format::kNdjson, "{\"label\": 1, \"values\": {\"4\": 1, \"0\": 1}}\n"},
      {Format::kSvmlight, "1 1:1 5:1\n"},
      {Format::kSvmlight, "1 5:1 1:1\n"},
      {Format::kVw, "1 | 0 4\n"},
      {Format::kVw, "1 | 4 |x 0\n"},
      {Format::kF32, row({1, 1, 2, 3, 4, 5})},
  };
  for (const Case& c : all) {
    CAPTURE(name_of(c.format));
    CAPTURE(c.line);
    auto processor = make_processor();
    REQUIRE(learn(processor, Format::kVw, "1 | a\n").learned == 1);
    const auto before = dictionary(processor);
    const auto refused = learn(processor, c.format, c.line);
    REQUIRE(refused.errors.size() == 1);
    CHECK(refused.errors[0].message.find("attribute 0 is what this model calls 'a'") != std::string::npos);
    CHECK(dictionary(processor) == before);
    // A question may.
    const auto feed = make_feed(processor, c.format);
    feed->learns = false;
    CHECK(work(processor, feed, c.line).predictions.size() == 1);
    CHECK(dictionary(processor) == before);
  }
}

TEST_CASE("questions use no numbers and bring no names") {
  auto processor = make_processor();
  const auto before = dictionary(processor);
  for (const Case& c : std::vector<Case>{{Format::kCsv, "1,1,2,3,4,5\n1,2,3,4,5\n"},
                                         {Format::kNdjson, "{\"label\": 1, \"values\": [1, 2, 3, 4, 5]}\n"},
                                         {Format::kNdjson, "{\"values\": {\"x\": 1, \"0\": 1}}\n"},
                                         {Format::kSvmlight, "1 1:1 5:1\n"},
                                         {Format::kVw, "1 | 0 4\n| x 4\n"}}) {
    const auto feed = make_feed(processor, c.format);
    feed->learns = false;
    CHECK(work(processor, feed, c.line).predictions.size() > 0);
  }
  CHECK(learn(processor, Format::kSvmlight, "1:1 5:1\n? 1:1\n").error_count == 0);
  CHECK(dictionary(processor) == before);
}

TEST_CASE("numbers of an example that is left out stay used, as the learner has seen its values") {
  for (const char* algorithm : {"pairwise", "online-ridge", "two-phase-ddaerr"}) {
    CAPTURE(algorithm);
    auto processor = make_processor(algorithm);
    const auto feed = make_feed(processor, Format::kSvmlight);
    for (int i = 0; i < 200; ++i) REQUIRE(work(processor, feed, fmt::format("{} 1:1\n", i % 3)).learned == 1);
    const auto left_out = work(processor, feed, "1e25 5:1\n");
    REQUIRE(left_out.skipped == 1);
    REQUIRE(left_out.error_count == 0);
    CHECK(learn(processor, Format::kNdjson, kNamed + "\n").error_count == 1);
    CHECK(processor.names().empty());
  }
}

TEST_CASE("checkpoints of the first builds, which say nothing of numbers, take no names if they had none") {
  auto numbered = make_processor();
  REQUIRE(learn(numbered, Format::kSvmlight, "1 2:1\n").learned == 1);
  auto named = make_processor();
  REQUIRE(learn(named, Format::kVw, "1 | a\n").learned == 1);
  const auto fresh = make_processor();
  const std::string line = R"({"label": 1, "values": {"b": 1}})"
                           "\n";
  for (const auto& [source, learned] :
       {std::pair<const StreamProcessor*, std::uint64_t>{&numbered, 0}, {&named, 1}, {&fresh, 1}}) {
    auto restored = make_processor();
    REQUIRE(restored.restore(without(saved(*source), "names/numbers")).has_value());
    CHECK(learn(restored, Format::kNdjson, line).learned == learned);
  }
}

TEST_CASE("the same records give the same names, with a restart anywhere between them") {
  const std::vector<std::string> lines{"1 | 1 a\n", "1 | b:x c:y 4\n", "1 | b\n",   "1e31 | c\n",
                                       "1 | 0 c\n", "1 | d 1\n",       "1 | 3 d\n", "1 | e\n"};
  auto whole = make_processor();
  for (const std::string& line : lines) learn(whole, Format::kVw, line);
  for (std::size_t cut = 0; cut <= lines.size(); ++cut) {
    auto first = make_processor();
    for (std::size_t i = 0; i < cut; ++i) learn(first, Format::kVw, lines[i]);
    auto second = make_processor();
    REQUIRE(second.restore(saved(first)).has_value());
    for (std::size_t i = cut; i < lines.size(); ++i) learn(second, Format::kVw, lines[i]);
    CHECK(dictionary(second) == dictionary(whole));
  }
  CHECK(whole.names().find("a") == Attribute{2});
  CHECK(whole.names().find("b") == Attribute{3});
  CHECK(whole.names().find("c") == Attribute{4});
}

}  // namespace stream_names_test
