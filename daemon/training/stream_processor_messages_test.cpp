#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

#include "daemon/training/stream_processor_test_support.h"
#include "data/formats/csv_reader.h"

namespace stream_processor_messages_test {

using namespace glimpse;
using namespace glimpse::stream_processor_test;

const std::string kName = "kafka:t/0";

// A partition that goes on where the processor left it.
std::shared_ptr<Feed> open_partition(StreamProcessor& processor) {
  processor.sources().set_limit(10);
  auto feed = make_feed(processor, kName);
  feed->in_messages = true;
  REQUIRE(processor.open_source(feed, kName, feed->records).has_value());
  return feed;
}

// Each text is a message of whole lines; an empty one is a tombstone, and one that begins with '!' is
// refused.
Worked work_messages(StreamProcessor& processor, const std::shared_ptr<Feed>& feed, std::uint64_t offset,
                     const std::vector<std::string>& texts, bool strict = false) {
  std::string bytes;
  std::vector<BlockMessage> messages;
  for (const std::string& text : texts) {
    const bool is_refused = text.starts_with('!');
    if (!is_refused) bytes += text;
    messages.push_back({bytes.size(), offset++, text.empty(),
                        is_refused ? std::make_shared<const std::string>(text) : nullptr});
  }
  Block block;
  block.feed = feed;
  block.bytes = Bytes(std::move(bytes));
  block.messages = std::make_shared<const std::vector<BlockMessage>>(std::move(messages));
  Worked worked;
  worked.going = processor.process(block, strict, worked.result);
  return worked;
}

TEST_CASE("messages: a position is the offset of the first message that is not whole inside") {
  StreamProcessor processor = make_processor();
  const auto feed = open_partition(processor);
  work_messages(processor, feed, 7, {some_lines(0, 3), some_lines(3, 4)});
  CHECK(feed->position == 9);
  CHECK(feed->records == 4);
  CHECK(feed->records_before == 4);
}

TEST_CASE("messages: a quote that does not end leaves the next message as it is") {
  StreamProcessor processor = make_processor();
  const auto feed = open_partition(processor);
  const auto dialect = std::make_shared<Dialect>();
  feed->framing = Framing::table(dialect, 1000);
  feed->reader = std::make_unique<CsvReader>(TableOptions(), processor.names());
  const Worked worked = work_messages(processor, feed, 0, {"1,\"2,3\n", "1,2,\"3\",4,5\n", "1,2,3,4,5\n"});
  CHECK(worked.result.error_count == 1);
  CHECK(worked.result.learned == 2);
  CHECK(feed->records == 3);
  CHECK(feed->position == 3);
}

TEST_CASE("messages: a quote that does not end in lines leaves the next message as it is") {
  StreamProcessor processor = make_processor();
  const auto feed = open_partition(processor);
  TableOptions options;
  options.are_lines = true;
  feed->reader = std::make_unique<CsvReader>(options, processor.names());
  const Worked worked = work_messages(
      processor, feed, 0, {"1,2,3,4,\"5\n1,2,3,4,5\n", "1,2,3,4,5\n", "1,2,3,4,\"5\n", "1,2,3,4,5\n"});
  CHECK(worked.result.error_count == 3);
  CHECK(worked.result.learned == 2);
}

TEST_CASE("messages: tombstones and refused messages are counted and passed over, also at a block's end") {
  StreamProcessor processor = make_processor();
  const auto feed = open_partition(processor);
  const Worked worked =
      work_messages(processor, feed, 0, {"", some_lines(0, 1), "!too long", "x y z\n", some_lines(1, 2), ""});
  CHECK(worked.result.learned == 2);
  CHECK(feed->position == 6);
  CHECK(feed->door->tombstones == 2);
  CHECK(feed->door->parse_errors == 2);
  REQUIRE(worked.result.errors.size() == 2);
  CHECK(worked.result.errors[0].message == "kafka:t/0, offset 2: !too long");
  CHECK(worked.result.errors[1].message.starts_with("kafka:t/0, offset 3: "));
}

TEST_CASE(
    "messages: a question that cannot be read has its line among the answers, and no labelled record has") {
  StreamProcessor processor = make_processor();
  const auto feed = open_partition(processor);
  const Worked worked =
      work_messages(processor, feed, 0, {some_lines(0, 2), "| 1:0.5\n", "| 1:x\n", "1 | 0:x 1:x 2:x 3:x\n"});
  CHECK(worked.result.error_count == 2);
  const std::string& replies = worked.result.replies;
  CHECK(std::ranges::count(replies, '\n') == 2);
  CHECK(replies.find("\nerror: line 4: kafka:t/0, offset 2: ") != std::string::npos);
}

TEST_CASE("messages: strict ends before the message that is refused") {
  StreamProcessor processor = make_processor();
  const auto feed = open_partition(processor);
  const Worked worked = work_messages(processor, feed, 0, {some_lines(0, 2), "!bad", some_lines(2, 3)}, true);
  CHECK_FALSE(worked.going);
  CHECK(worked.result.learned == 2);
  CHECK(feed->position == 1);
}

TEST_CASE("messages: a checkpoint amid a message goes on with the lines of it that are not inside") {
  StreamProcessor straight = make_processor();
  const std::vector<std::string> texts = {some_lines(0, 5), some_lines(5, 45), some_lines(45, 60)};
  work_messages(straight, open_partition(straight), 0, texts);

  for (const int stop : {1, 5, 6, 30, 44, 45, 59}) {
    CAPTURE(stop);
    StreamProcessor processor = make_processor();
    State state;
    int asked = 0;
    StreamProcessor::Hooks hooks;
    hooks.wants_pause = [&] { return asked++ == stop; };
    hooks.pause = [&] { processor.save(state); };
    processor.set_hooks(hooks);
    work_messages(processor, open_partition(processor), 0, texts);
    REQUIRE_FALSE(state.tensors().empty());

    StreamProcessor again = make_processor();
    again.sources().set_limit(10);
    REQUIRE(again.restore(state).has_value());
    CHECK(again.known_partitions("kafka:t") == 1);
    const auto feed = open_partition(again);
    const auto first = static_cast<std::size_t>(feed->position);
    CHECK(first == (stop < 5 ? 0 : stop < 45 ? 1 : 2));
    work_messages(again, feed, first, {texts.begin() + static_cast<std::ptrdiff_t>(first), texts.end()});
    CHECK(again.learner().counts().examples == 60);
    CHECK(weights(again) == weights(straight));
  }
}

}  // namespace stream_processor_messages_test
