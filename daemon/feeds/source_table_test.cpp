#include "daemon/feeds/source_table.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "daemon/stream/source_session.h"
#include "daemon/training/stream_processor.h"
#include "learn/factory.h"

namespace source_table_test {

using namespace glimpse;

namespace {

constexpr std::size_t kDimension = 4;

StreamProcessor make_processor() {
  LearnerOptions options;
  options.algorithm = "aerr";
  options.dimension = kDimension;
  options.budget = 3;
  StreamProcessor processor(*make_learner(options), AttributeNames(kDimension), 7);
  processor.sources().set_limit(3);
  return processor;
}

std::shared_ptr<Feed> make_feed(StreamProcessor& processor, Format format = Format::kAuto) {
  FormatOptions options;
  options.dimension = kDimension;
  auto door = std::make_shared<Door>();
  door->name = "test";
  auto feed = processor.make_feed(door, format, options, 1000, "");
  feed->error_replies = ErrorReplies::kAll;
  feed->retire = [] {};
  return feed;
}

std::shared_ptr<Feed> open(StreamProcessor& processor, const std::string& name, Format format = Format::kAuto,
                           std::optional<std::uint64_t> from = std::nullopt) {
  auto feed = make_feed(processor, format);
  REQUIRE(processor.open_source(feed, name, from).has_value());
  return feed;
}

BlockResult work(StreamProcessor& processor, const std::shared_ptr<Feed>& feed, std::string records,
                 bool cut_off = false) {
  Block block;
  block.feed = feed;
  block.bytes = Bytes(std::move(records));
  block.cut_off = cut_off;
  BlockResult result;
  REQUIRE(processor.process(block, false, result));
  return result;
}

State save(const StreamProcessor& processor) {
  State state;
  state.begin();
  processor.save(state);
  state.finish();
  return state;
}

// Compares everything that a checkpoint holds except the sources themselves: their names may differ.
bool same_learning(const StreamProcessor& a, const StreamProcessor& b) {
  const State first = save(a);
  const State second = save(b);
  std::size_t compared = 0;
  for (const Tensor& tensor : first.tensors()) {
    if (tensor.name.starts_with("sources.")) continue;
    const Tensor* other = second.find(tensor.name);
    if (other == nullptr || other->bytes != tensor.bytes) return false;
    ++compared;
  }
  return compared > 5 && first.tensors().size() == second.tensors().size();
}

std::string svmlight_lines(int first, int last) {
  std::string lines;
  for (int i = first; i < last; ++i)
    lines += fmt::format("{} 1:{} 2:{} 4:1\n", i % 3 - 1, i % 5 * 0.25, i % 7 * 0.5);
  return lines;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    lines.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return lines;
}

std::string joined(const std::vector<std::string>& records, std::size_t first) {
  std::string all;
  for (std::size_t i = first; i < records.size(); ++i) all += records[i];
  return all;
}

// A source that was killed behind each of its records, restored and sent on, against one that was not.
void check_every_resumption(const std::vector<std::string>& records, Format format = Format::kAuto) {
  auto straight = make_processor();
  const std::uint64_t all = work(straight, open(straight, "s", format), joined(records, 0)).inside;
  for (std::size_t n = 0; n <= records.size(); ++n) {
    auto killed = make_processor();
    std::string before;
    for (std::size_t i = 0; i < n; ++i) before += records[i];
    work(killed, open(killed, "s", format), before);
    for (const bool from_the_beginning : {false, true}) {
      CAPTURE(n);
      CAPTURE(from_the_beginning);
      auto restored = make_processor();
      REQUIRE(restored.restore(save(killed)).has_value());
      const std::optional<std::uint64_t> from =
          from_the_beginning ? std::optional<std::uint64_t>(0) : std::nullopt;
      const auto feed = open(restored, "s", format, from);
      const std::uint64_t inside = feed->source->records;  // fewer where none could be read so far
      REQUIRE(inside == killed.sources().all().at("s")->records);
      REQUIRE(inside <= n);
      const BlockResult result = work(restored, feed, joined(records, from_the_beginning ? 0 : inside));
      CHECK(result.inside == all);
      CHECK(same_learning(restored, straight));
    }
  }
}

}  // namespace

TEST_CASE("a source that goes on behind any record is learned as one that was not interrupted") {
  check_every_resumption(lines_of(svmlight_lines(0, 12)));
  check_every_resumption(lines_of("# a comment\n\n1,2,3,4,5\nbad\n2,1,4,3,5\n0,1,1,x,1\n"));
  check_every_resumption(lines_of("\ny,a,b,c,d\n1,2,3,4,5\n2,1,4,3,5\n,1,2,3,4\n"));
}

TEST_CASE("what the beginning said of the format holds behind it") {
  // A bare label alone would be taken for CSV, and words in the first row of CSV for names.
  check_every_resumption(lines_of("1 1:1\n1\n0\n1 2:1\n"));
  check_every_resumption(lines_of("1,2,3,4,5\nx,y,z,u,v\n2,1,4,3,5\n"));
  // A row of another width before the header: the header comes second.
  check_every_resumption(lines_of("1,2\ny,a,b,c,d\nx,y,z,u,v\n1,2,3,4,5\n"));
  // A header that is refused, and with it every row.
  check_every_resumption(lines_of("y,a,a,b,c\n1,2,3,4,5\n2,3,4,5,6\n"));
}

TEST_CASE("rows, and a header of numpy that counts as a record and comes once") {
  std::vector<std::string> rows;
  for (int i = 0; i < 6; ++i) {
    const float row[] = {float(i % 2), 1.0F, float(i) * 0.5F, 2.0F, -1.0F};
    rows.emplace_back(reinterpret_cast<const char*>(row), sizeof row);
  }
  check_every_resumption(rows, Format::kF32);
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (6, 5), }";
  text.resize(117, ' ');
  text += '\n';
  std::string header = "\x93NUMPY\x01";
  header += '\0';
  header += static_cast<char>(text.size());
  header += '\0';
  rows.insert(rows.begin(), header + text);
  check_every_resumption(rows, Format::kNpy);
}

TEST_CASE("a newer connection with the same name retires the older, whose queued records are thrown away") {
  auto processor = make_processor();
  const auto old = open(processor, "s");
  bool told = false;
  old->retire = [&] { told = true; };
  work(processor, old, svmlight_lines(0, 5));
  const auto fresh = open(processor, "s");
  CHECK(told);
  CHECK(fresh->records == 5);
  work(processor, old, svmlight_lines(5, 9));
  CHECK(processor.learner().counts().examples == 5);
  CHECK(work(processor, fresh, svmlight_lines(5, 9)).inside == 9);
  CHECK(processor.learner().counts().examples == 9);
}

TEST_CASE("a connection that is retired amid a block learns nothing more of it") {
  auto processor = make_processor();
  const auto old = open(processor, "s");
  std::shared_ptr<Feed> fresh;
  StreamProcessor::Hooks hooks;
  hooks.wants_pause = [&] { return !fresh && processor.learner().counts().examples == 3; };
  hooks.pause = [&] { fresh = open(processor, "s"); };
  processor.set_hooks(std::move(hooks));
  work(processor, old, svmlight_lines(0, 9));
  REQUIRE(fresh);
  CHECK(fresh->records == 3);
  CHECK(processor.learner().counts().examples == 3);
  work(processor, fresh, svmlight_lines(3, 9));
  auto straight = make_processor();
  work(straight, open(straight, "s"), svmlight_lines(0, 9));
  CHECK(same_learning(processor, straight));
}

TEST_CASE("a record that is cut off is none, so that it can be sent again") {
  auto processor = make_processor();
  const auto feed = open(processor, "s");
  work(processor, feed, svmlight_lines(0, 2));
  const BlockResult result = work(processor, feed, "1 1:", true);
  CHECK(result.replies ==
        "error: line 3: cut off by the end of the connection; not taken: send it again, whole\n");
  CHECK(result.inside == 2);
  CHECK(open(processor, "s")->records == 2);
}

TEST_CASE("records that cannot be read are not inside before one could be, and are afterwards") {
  auto processor = make_processor();
  auto feed = open(processor, "s");
  BlockResult result = work(processor, feed, "1 1:x\n\n1 9:1\n");
  CHECK(result.inside == 0);
  CHECK(result.refusal.starts_with("line 1: "));
  CHECK(work(processor, feed, "1 1:", true).refusal == result.refusal);  // cut off
  // A request that goes on behind them is not blocked by them, one beyond is.
  const auto beyond = make_feed(processor);
  CHECK_FALSE(processor.open_source(beyond, "s", 4).has_value());
  feed = open(processor, "s", Format::kAuto, 3);
  CHECK(work(processor, feed, "bad\n").inside == 0);
  CHECK(save(processor).get<std::uint64_t>("sources.progress")->empty());  // nothing of it is kept
  // Other records come in their place: what the first ones said of the format is forgotten.
  feed = open(processor, "s");
  CHECK(feed->records == 0);
  result = work(processor, feed, "y,a,b,c,d\nx,y,z,u,v\n1,2,3,4,5\n");
  CHECK(result.inside == 3);
  CHECK(result.refusal.empty());
  CHECK(processor.learner().counts().examples == 1);
  result = work(processor, feed, "bad\nbad\n");
  CHECK(result.inside == 5);
  CHECK(result.refusal.empty());
  // A header and comments count as long as nothing was refused.
  CHECK(work(processor, open(processor, "h"), "# c\ny,a,b,c,d\nx,y,z,u,v\n").inside == 2);
  auto restored = make_processor();
  REQUIRE(restored.restore(save(processor)).has_value());
  CHECK(work(restored, open(restored, "h"), "x,y,z,u,v\n").inside == 2);
  CHECK(work(restored, open(restored, "h"), "x,y,z,u,v\n1,2,3,4,5\n").inside == 4);
}

TEST_CASE("a source that comes again with other records is noticed where the new ones begin") {
  auto processor = make_processor();
  work(processor, open(processor, "s"), svmlight_lines(0, 4));
  auto restored = make_processor();
  REQUIRE(restored.restore(save(processor)).has_value());
  const std::string same = svmlight_lines(0, 4);
  CHECK(work(restored, open(restored, "s", Format::kAuto, 0), same + svmlight_lines(4, 5)).error_count == 0);
  const BlockResult result =
      work(restored, open(restored, "s", Format::kAuto, 0), "0 1:3\n" + svmlight_lines(1, 6));
  REQUIRE(result.error_count == 1);
  CHECK(result.errors.front().record == 5);
  CHECK(result.errors.front().message.starts_with("the records up to this one are not those of source 's'"));
  CHECK(result.inside == 6);
  // What a request did not begin with cannot be compared.
  CHECK(work(restored, open(restored, "s", Format::kAuto, 3), "0 1:3\n").error_count == 0);
}

TEST_CASE("what cannot be is refused, and changes nothing") {
  auto processor = make_processor();
  work(processor, open(processor, "s"), svmlight_lines(0, 4));
  const auto refusal = [&](const std::string& name, std::optional<std::uint64_t> from) {
    const auto status = processor.open_source(make_feed(processor), name, from);
    REQUIRE_FALSE(status.has_value());
    return status.error().message;
  };
  CHECK(refusal("s", 5) ==
        "from 5: of source 's' there are 4 records inside, so that those between would be missing");
  const auto pipe = make_feed(processor);
  pipe->retire = nullptr;
  REQUIRE(processor.open_source(pipe, "pipe", 0).has_value());
  CHECK(refusal("pipe", std::nullopt) == "source 'pipe' comes in through test");
  {
    const auto third = open(processor, "third");
    CHECK(refusal("fourth", std::nullopt) ==
          "source 'fourth' is new, and 3 are known already (--max-sources 3)");
  }
  // Nothing came of the third, so it need not be known.
  open(processor, "fourth");
}

TEST_CASE("durable is told of what the checkpoint holds, and never goes back") {
  auto processor = make_processor();
  const auto feed = open(processor, "s");
  std::vector<std::uint64_t> told;
  feed->durable = [&](std::uint64_t records) { told.push_back(records); };
  SourceTable::note_durable(processor.sources().marks());
  work(processor, feed, svmlight_lines(0, 4));
  const auto earlier = processor.sources().marks();
  work(processor, feed, svmlight_lines(4, 9));
  SourceTable::note_durable(earlier);
  SourceTable::note_durable(processor.sources().marks());
  SourceTable::note_durable(earlier);
  CHECK(told == std::vector<std::uint64_t>{4, 9});

  SourceSession session;
  CHECK(session.open(12, 0) == "resume 12\n");
  CHECK(session.awaits_durable());
  CHECK(session.note_durable(10) == "durable 10\n");
  CHECK(session.note_durable(9).empty());
  CHECK(session.awaits_durable());
  CHECK(session.note_durable(12) == "durable 12\n");
  CHECK_FALSE(session.awaits_durable());
  session.note_inside(13, 20);
  CHECK(session.awaits_durable());
  CHECK(SourceSession().open(7, 5) == "resume 7\ndurable 5\n");
}

TEST_CASE("several sources are kept and restored, and a State from before there were any has none") {
  auto processor = make_processor();
  work(processor, open(processor, "b"), svmlight_lines(0, 4));
  work(processor, open(processor, "a"), svmlight_lines(0, 7));
  const auto greeted_only = open(processor, "c");
  State state = save(processor);
  auto restored = make_processor();
  REQUIRE(restored.restore(state).has_value());
  const auto& sources = restored.sources().all();
  REQUIRE(sources.size() == 2);
  CHECK(sources.at("a")->records == 7);
  CHECK(sources.at("a")->durable == 7);
  CHECK(sources.at("b")->records == 4);

  State older;
  older.begin();
  for (const Tensor& tensor : state.tensors())
    if (!tensor.name.starts_with("sources.") && tensor.type == ElementType::kU64)
      older.put_copy<std::uint64_t>(tensor.name, *state.get<std::uint64_t>(tensor.name));
  older.finish();
  SourceTable table;
  REQUIRE(table.restore(older).has_value());
  CHECK(table.all().empty());
}

TEST_CASE("arrays that contradict each other are refused") {
  auto processor = make_processor();
  work(processor, open(processor, "aa"), svmlight_lines(0, 4));
  const auto restored_with = [&](std::vector<std::uint64_t> progress, std::vector<std::uint64_t> lengths) {
    State state;
    state.begin();
    for (const char* name : {"sources.names", "sources.openings"})
      state.put_copy<std::uint8_t>(name, *save(processor).get<std::uint8_t>(name));
    state.put_copy<std::uint64_t>("sources.progress", progress);
    state.put_copy<std::uint64_t>("sources.opening_lengths", lengths);
    state.finish();
    SourceTable table;
    return table.restore(state).has_value();
  };
  const std::uint64_t opening = svmlight_lines(0, 1).size() - 1;
  CHECK(restored_with({2, 4, 1, 1}, {opening}));
  CHECK_FALSE(restored_with({2, 4, 1}, {opening}));
  CHECK_FALSE(restored_with({1, 4, 1, 1}, {opening}));
  CHECK_FALSE(restored_with({3, 4, 1, 1}, {opening}));
  CHECK_FALSE(restored_with({2, 4, 2, 1}, {opening}));
  CHECK_FALSE(restored_with({2, 4, 0, 1}, {opening}));
  CHECK_FALSE(restored_with({2, 4, 1, 1}, {opening + 1}));
  CHECK_FALSE(restored_with({2, 4, 1, 1}, {opening - 1}));
  CHECK_FALSE(restored_with({~std::uint64_t{0}, 4, 1, 1}, {opening}));
  CHECK_FALSE(restored_with({1, 4, 1, 1, 1, 4, 0, 1}, {opening}));
}

}  // namespace source_table_test
