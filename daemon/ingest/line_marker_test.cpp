#include "daemon/ingest/line_marker.h"

#include <doctest/doctest.h>
#include <string>

#include "base/random.h"
#include "daemon/training/stream_processor.h"
#include "data/formats.h"
#include "learn/factory.h"

namespace line_marker_test {

using namespace glimpse;

namespace {

constexpr std::size_t kDimension = 200;

StreamProcessor make_processor(std::size_t budget, const char* algorithm = "pairwise") {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = kDimension;
  options.budget = budget;
  return StreamProcessor(make_learner(options).value(), AttributeNames(kDimension), 7);
}

std::shared_ptr<Feed> make_feed(StreamProcessor& processor, Format format) {
  FormatOptions options;
  options.dimension = kDimension;
  return processor.make_feed(std::make_shared<Door>(), format, options, 1 << 20, "");
}

std::string random_rows(Random& random, int count) {
  std::string text;
  for (int row = 0; row < count; ++row) {
    text += std::to_string(random.below(2));
    for (std::size_t i = 0; i < kDimension; ++i) text += "," + std::to_string(random.below(1000));
    text += '\n';
  }
  return text;
}

BlockResult work(StreamProcessor& processor, const std::shared_ptr<Feed>& feed, const std::string& text,
                 LineMarker* marker) {
  Block block;
  block.feed = feed;
  block.bytes = Bytes(text);
  if (marker != nullptr) block.marks = marker->mark(*feed, block.bytes.view);
  BlockResult result;
  processor.process(block, false, result);
  return result;
}

std::vector<double> weights(const StreamProcessor& processor) {
  Model model;
  processor.learner().model(model);
  return model.weights;
}

}  // namespace

// Of texts of 100 records each: with marks of all but the first, and without.
template <class MakeText>
void check_same_with_marks(Format format, const MakeText& make_text) {
  auto marked = make_processor(2);
  auto plain = make_processor(2);
  const auto marked_feed = make_feed(marked, format);
  const auto plain_feed = make_feed(plain, format);
  LineMarker marker;
  Random random(1);
  for (int n = 0; n < 5; ++n) {
    const std::string text = make_text(random);
    const bool is_first = n == 0;  // whether fields or tokens are worth finding is known behind it
    CHECK((marker.mark(*marked_feed, text) == nullptr) == is_first);
    const BlockResult with = work(marked, marked_feed, text, &marker);
    const BlockResult without = work(plain, plain_feed, text, nullptr);
    CHECK(with.learned == 100);
    CHECK(without.learned == 100);
  }
  CHECK(weights(marked) == weights(plain));
}

TEST_CASE("what is learned from lines that another thread marked is what is learned without") {
  for (const Format format : {Format::kCsv, Format::kAuto})
    check_same_with_marks(format, [](Random& random) { return random_rows(random, 100); });
}

TEST_CASE("what is learned from lines whose tokens another thread found is what is learned without") {
  for (const Format format : {Format::kVw, Format::kSvmlight})
    check_same_with_marks(format, [format](Random& random) {
      std::string text;
      for (int row = 0; row < 100; ++row) {
        text += std::to_string(random.below(10)) + (format == Format::kVw ? " |" : "");
        for (std::size_t i = 1; i < kDimension; i += 1 + random.below(2))
          text += " " + std::to_string(i) + ":" + std::to_string(random.uniform());
        text += '\n';
      }
      return text;
    });
}

TEST_CASE("lines of other formats, short texts, and those of which much is looked at are not marked") {
  Random random(2);
  const std::string rows = random_rows(random, 100);
  LineMarker marker;
  auto processor = make_processor(2);
  const auto csv = make_feed(processor, Format::kCsv);
  work(processor, csv, rows, nullptr);
  CHECK(marker.mark(*csv, rows) != nullptr);
  CHECK(marker.mark(*csv, std::string_view(rows).substr(0, 4096)) == nullptr);
  const auto ndjson = make_feed(processor, Format::kNdjson);
  work(processor, ndjson, "{\"label\":1,\"1\":1}\n", nullptr);
  CHECK(marker.mark(*ndjson, rows) == nullptr);
  auto curious = make_processor(20);
  const auto looked_at = make_feed(curious, Format::kCsv);
  work(curious, looked_at, rows, nullptr);
  CHECK(marker.mark(*looked_at, rows) == nullptr);
}

TEST_CASE("lines of which every field is read are not marked") {
  Random random(4);
  const std::string rows = random_rows(random, 100);
  LineMarker marker;
  auto processor = make_processor(2);
  const auto is_marked = [&](StreamProcessor& by, const std::shared_ptr<Feed>& feed) {
    work(by, feed, rows, nullptr);
    return marker.mark(*feed, rows) != nullptr;
  };
  CHECK(is_marked(processor, make_feed(processor, Format::kCsv)));
  const auto predicts = make_feed(processor, Format::kCsv);
  predicts->learns = false;
  CHECK_FALSE(is_marked(processor, predicts));
  const auto replies = make_feed(processor, Format::kCsv);
  replies->replies = Replies::kAll;
  CHECK_FALSE(is_marked(processor, replies));
  const auto validates = make_feed(processor, Format::kCsv);
  validates->reader = std::make_unique<ValidatingReader>(std::move(validates->reader));
  CHECK_FALSE(is_marked(processor, validates));
  auto everything = make_processor(0, "online-ridge");
  CHECK_FALSE(is_marked(everything, make_feed(everything, Format::kCsv)));
}

TEST_CASE("marks outlive their marker, and their memory is used again") {
  Random random(3);
  const std::string rows = random_rows(random, 100);
  auto processor = make_processor(2);
  const auto feed = make_feed(processor, Format::kCsv);
  work(processor, feed, rows, nullptr);
  auto marker = std::make_unique<LineMarker>();
  auto marks = marker->mark(*feed, rows);
  const LineMarks* const memory = marks.get();
  marks.reset();
  marks = marker->mark(*feed, rows);
  CHECK(marks.get() == memory);
  marker.reset();
  CHECK(marks->lines.size() == 100);
}

TEST_CASE("lengths of lines are found where they are wanted, with a last line that has no newline") {
  Feed feed;
  const std::string text = "a,b\r\n\n" + std::string(1 << 15, 'x') + "\nlast";
  CHECK(LineMarker::measure(feed, text) == nullptr);
  feed.wants_lengths = true;
  CHECK(LineMarker::measure(feed, "too\nshort\n") == nullptr);
  const auto lengths = LineMarker::measure(feed, text);
  REQUIRE(lengths);
  CHECK(*lengths == std::vector<std::uint32_t>{4, 0, 1 << 15, 4});
}

}  // namespace line_marker_test
