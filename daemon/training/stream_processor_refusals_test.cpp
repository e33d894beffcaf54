// Records that are not learned: bad ones, those for which there is no memory, and the rest of a file cut
// short.

#include <algorithm>
#include <atomic>
#include <doctest/doctest.h>
#include <memory>
#include <new>
#include <string>

#include "daemon/training/stream_processor_test_support.h"

namespace stream_processor_refusals_test {

using namespace glimpse;
using namespace glimpse::stream_processor_test;

namespace {

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

TEST_CASE("a bad line is counted, told and skipped") {
  auto processor = make_processor();
  const auto feed = make_feed(processor);
  feed->error_replies = ErrorReplies::kAll;
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

TEST_CASE("of records that cannot be read those that are questions have a line among the answers") {
  auto processor = make_processor();
  const auto feed = make_feed(processor);
  feed->error_replies = ErrorReplies::kAnswered;
  const auto replies = [&](const char* lines) { return work(processor, feed, lines).result.replies; };
  CHECK(replies("bad\n").empty());  // nothing was learned that could be asked
  CHECK(replies("1 | 0:1\n1 | 9:1\nbad\n").empty());
  CHECK(replies("| 9:1\n").starts_with("error: line 5: "));
  CHECK(replies("bad\n").starts_with("error: line 6: "));  // as the one before it
  CHECK(replies("1 | 0:1\nbad\n").empty());
  feed->replies = Replies::kAll;
  CHECK(replies("1 | 9:1\n").starts_with("error: line 9: "));
  feed->replies = Replies::kNone;
  CHECK(replies("| 9:1\n").empty());
  // A model that was learned before is asked by a file's first record.
  const auto other = make_feed(processor);
  other->error_replies = ErrorReplies::kAnswered;
  CHECK(work(processor, other, "bad\n").result.replies.starts_with("error: line 1: "));
}

TEST_CASE("of JSON that cannot be read what has no label is a question, whatever came before") {
  auto processor = make_processor();
  const auto feed = make_feed(processor, "", Format::kNdjson);
  const auto replies = [&](const char* lines) { return work(processor, feed, lines).result.replies; };
  CHECK(replies("{\"label\": 1, \"values\": [1, 2, 3, 4]}\n{\"values\": [1]}\n")
            .starts_with("error: line 2: "));
  CHECK(replies("{\"label\": 1, \"values\": [1]}\n").empty());
  CHECK(replies(" [1, 2\n").starts_with("error: line 4: "));
  CHECK(replies("{\"values\": [1, 2, 3, 4], \"label\": 1\n").empty());
}

TEST_CASE("strict stops at the bad line, and a resumed input meets it again") {
  auto processor = make_processor();
  const auto feed = make_feed(processor, "file");
  const auto worked = work(processor, feed, "1 | 0:1\nbad\n1 | 0:1\n", true);
  CHECK_FALSE(worked.going);
  CHECK(worked.result.learned == 1);
  CHECK(feed->position == 8);
  CHECK(feed->records == 1);
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

TEST_CASE(
    "an odd value among declared numbers is missing and counted, wherever it stands, and strict refuses it") {
  for (const Attribute at : {0U, 2U, 3U}) {
    CAPTURE(at);
    const auto row = [at](std::string_view word) {
      std::string line = "1";
      for (Attribute i = 0; i < 4; ++i) line.append(",").append(i == at ? word : "0.5");
      return line + '\n';
    };
    std::string rows;
    for (int i = 0; i < 40; ++i) rows += row("<5");
    auto processor = make_processor();
    for (Attribute i = 0; i < 4; ++i) processor.names().categories().declare_number(i);
    const auto feed = make_feed(processor, "", Format::kCsv);
    work(processor, feed, "1,0.5,0.5,0.5,0.5\n");
    const auto worked = work(processor, feed, rows);
    CHECK(worked.going);
    CHECK(worked.result.error_count == 0);
    CHECK(worked.result.skipped > 0);
    CHECK(worked.result.learned + worked.result.skipped == 40);
    CHECK(feed->door->odd_values == worked.result.skipped);
    CHECK(processor.names().categories().empty());

    // A mark for a missing value is no odd one, and is fine where strict refuses the others.
    auto marked = make_processor();
    for (Attribute i = 0; i < 4; ++i) marked.names().categories().declare_number(i);
    const auto of_marks = make_feed(marked, "", Format::kCsv);
    work(marked, of_marks, "1,0.5,0.5,0.5,0.5\n");
    std::string marks;
    for (int i = 0; i < 40; ++i) marks += row("None");
    CHECK(work(marked, of_marks, marks, true).result.error_count == 0);
    CHECK(of_marks->door->odd_values == 0);
    const auto refused = work(marked, of_marks, rows, true);
    CHECK_FALSE(refused.going);
    CHECK(of_marks->door->odd_values == 0);
  }
}

TEST_CASE("an odd value of a question is counted once, and answered as one that is missing") {
  auto processor = make_processor();
  for (Attribute i = 0; i < 4; ++i) processor.names().categories().declare_number(i);
  const auto feed = make_feed(processor, "", Format::kCsv);
  work(processor, feed, "y,a,b,c,d\n1,0.5,0.25,0.5,0.5\n");
  feed->replies = Replies::kUnlabelled;
  const auto odd = work(processor, feed, ",0.5,<5,0.5,0.5\n");
  const auto missing = work(processor, feed, ",0.5,,0.5,0.5\n");
  CHECK(odd.result.unlabelled == 1);
  CHECK(odd.result.error_count == 0);
  CHECK_FALSE(odd.result.replies.empty());
  CHECK(odd.result.replies == missing.result.replies);
  CHECK(feed->door->odd_values == 1);
}

TEST_CASE("records that hold nothing are counted: blank ones, comments, headers, and delimiters alone") {
  auto processor = make_processor();
  const auto feed = make_feed(processor, "", Format::kCsv);
  const auto worked = work(
      processor, feed, "# of May\n\ny,a,b,c,d\n1,0,0,0,1\n,,,,\n1,0,1,0,1\ny,d,c,b,a\n#\n1,0,1,0,1\n,,\n");
  CHECK(worked.result.error_count == 0);
  CHECK(worked.result.learned == 3);
  CHECK(feed->door->empty_records == 7);
}

TEST_CASE("rows that lack fields are counted where these are missing, wherever they stand") {
  for (const char* const rows :
       {"1,0\n1,0,1,0,1\n2,0,1,0,1\n", "1,0,1,0,1\n1,0,1\n2,0,1,0,1\n", "1,0,1,0,1\n2,0,1,0,1\n,0,1,1\n"}) {
    auto processor = make_processor();
    FormatOptions options;
    options.dimension = 4;
    options.table.reads_short_rows = true;
    const auto door = std::make_shared<Door>();
    const auto feed = processor.make_feed(door, Format::kCsv, options, 1000, "");
    CHECK(work(processor, feed, std::string("y,a,b,c,d\n") + rows).result.error_count == 0);
    CHECK(door->filled_records == 1);
    CHECK(work(processor, feed, "3,0,1,0,1\n3\n").result.error_count == 0);
    CHECK(door->filled_records == 2);
  }
}

}  // namespace stream_processor_refusals_test
