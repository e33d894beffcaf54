// Lines that are read ahead: the same is learned from them as from others.

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "base/random.h"
#include "daemon/reading/reading_threads.h"
#include "daemon/training/stream_processor_test_support.h"

namespace stream_processor_reading_test {

using namespace glimpse;
using namespace glimpse::stream_processor_test;

namespace {

constexpr std::size_t kAttributes = 12;

// Runs what is posted at once: everything is read in time.
class AtOnce final : public ReadJobs {
 public:
  std::size_t threads() const override { return 1; }
  void post(std::span<const std::shared_ptr<ReadJob>> jobs) override {
    for (const auto& job : jobs) {
      job->note_posted();
      job->run();
    }
  }
};

// Never runs any.
class Never final : public ReadJobs {
 public:
  std::size_t threads() const override { return 1; }
  void post(std::span<const std::shared_ptr<ReadJob>> jobs) override {
    for (const auto& job : jobs) job->note_posted();
  }
};

enum class Kind { kCsv, kCsvWithHeader, kNumbers, kNames, kSvmlight };
constexpr Kind kKinds[] = {Kind::kCsv, Kind::kCsvWithHeader, Kind::kNumbers, Kind::kNames, Kind::kSvmlight};

Format format_of(Kind kind) {
  if (kind == Kind::kSvmlight) return Format::kSvmlight;
  return kind == Kind::kNumbers || kind == Kind::kNames ? Format::kVw : Format::kAuto;
}

// A line with a label, or one that `asks` for a prediction; now and then one that is odd.
std::string line_of(Kind kind, Random& random, bool with_odd_ones, bool asks) {
  const std::size_t odd = with_odd_ones ? random.below(300) : 300;
  if (odd == 0) return "\n";
  if (odd == 1) return "this is: no | line, of, any kind\n";
  std::vector<double> x(kAttributes);
  for (double& value : x) value = static_cast<double>(random.below(2000)) / 1000 - 1;
  const double label = odd == 2 ? 1e300 : x[1] - 2 * x[4] + x[7] / 2;
  std::string line;
  if (kind == Kind::kCsv || kind == Kind::kCsvWithHeader) {
    line = odd == 3 || asks ? "" : fmt::format("{}", label);
    for (std::size_t i = 0; i < kAttributes; ++i)
      line += odd == 4 && i == 3 ? ",NA" : odd == 5 ? fmt::format(",\"{}\"", x[i]) : fmt::format(",{}", x[i]);
    return line + (odd < 20 ? "\r\n" : "\n");
  }
  line = odd == 3 || asks ? "" : fmt::format("{}", label);
  if (kind == Kind::kSvmlight && line.empty()) line = "?";
  if (kind != Kind::kSvmlight) line += odd == 4 ? " 2.5 'tag|" : asks && odd % 3 == 0 ? " 'asked|" : " |";
  for (std::size_t i = 0; i < kAttributes; ++i) {
    if (random.below(3) == 0) continue;
    if (kind == Kind::kSvmlight) line += fmt::format(" {}:{}", i + 1, x[i]);
    if (kind == Kind::kNumbers) line += fmt::format(" {}:{}", i, x[i]);
    if (kind == Kind::kNames) line += fmt::format(" {}:{}", static_cast<char>('a' + i), x[i]);
  }
  if (odd == 5) line += " 9:x";
  if (odd == 6 && kind == Kind::kNames) line += " unheard:1";
  return line + "\n";
}

struct Stream {
  Kind kind;
  std::vector<std::string> blocks;
};

// Lines of `asking` ask for predictions.
struct Range {
  int begin = 0, end = 0;
};

Stream stream_of(Kind kind, int lines, bool with_odd_ones, Range asking = {}, std::uint64_t seed = 3) {
  Random random(seed);
  Stream stream{kind, {}};
  std::string text = kind == Kind::kCsvWithHeader ? "y,a,b,c,d,e,f,g,h,i,j,k,l\n" : "";
  std::size_t until = 1;
  for (int i = 0; i < lines; ++i) {
    text += line_of(kind, random, with_odd_ones && i > 40, i >= asking.begin && i < asking.end);
    if (--until > 0) continue;
    stream.blocks.push_back(std::exchange(text, {}));
    until = 1 + random.below(400);
  }
  if (!text.empty()) stream.blocks.push_back(text);
  return stream;
}

struct Options {
  const char* algorithm = "pairwise";
  double hold_out = 0;
  bool asks = false;       // a client asks for plans between blocks
  bool in_pauses = false;  // and teaches amid them
  bool promotes = false;   // amid them, what the learner is
};

struct Outcome {
  State state;
  std::vector<std::string> errors;
  std::string replies;
  std::uint64_t predictions = 0;
  std::uint64_t ahead = 0;
};

std::shared_ptr<const std::vector<std::uint32_t>> lengths_of(std::string_view text) {
  auto lengths = std::make_shared<std::vector<std::uint32_t>>();
  RecordCursor cursor(text, Framing::lines(1000));
  for (std::size_t begin = 0; cursor.next(); begin = cursor.position())
    lengths->push_back(static_cast<std::uint32_t>(text.find('\n', begin) - begin));
  return lengths;
}

StreamProcessor processor_of(const std::string& algorithm) {
  LearnerOptions learner;
  learner.algorithm = algorithm;
  learner.dimension = kAttributes;
  learner.budget = 4;
  if (learner.algorithm == "baseline") learner.radius = 4;
  auto made = make_learner(learner);
  REQUIRE(made.has_value());
  return {std::move(*made), AttributeNames(kAttributes), 7};
}

Outcome learn(const Stream& stream, const Options& options, std::shared_ptr<ReadJobs> jobs) {
  StreamProcessor processor = processor_of(options.algorithm);
  processor.hold_out().set_share(options.hold_out);
  if (jobs) processor.set_read_jobs(std::move(jobs), true);
  auto door = std::make_shared<Door>();
  FormatOptions format;
  format.dimension = kAttributes;
  const auto feed = processor.make_feed(door, format_of(stream.kind), format, 200'000, "");
  const auto other = processor.make_feed(door, Format::kSvmlight, format, 1000, "");
  Outcome outcome;
  std::size_t b = 0;
  std::vector<Bytes> bytes;
  for (const std::string& text : stream.blocks) bytes.emplace_back(std::string(text));
  int pauses = 0;
  StreamProcessor::Hooks hooks;
  hooks.following = [&](const Feed& of) -> std::optional<TextOfLines> {
    if (&of != feed.get() || b + 1 >= bytes.size() || b % 3 == 0) return std::nullopt;
    return TextOfLines{bytes[b + 1], b % 2 == 0 ? lengths_of(bytes[b + 1].view) : nullptr};
  };
  hooks.error = [&](const Feed&, const RecordError& error) {
    outcome.errors.push_back(fmt::format("{}: {}", error.record, error.message));
  };
  if (options.in_pauses) {
    hooks.wants_pause = [&] { return ++pauses % 500 == 0; };
    hooks.pause = [&] {
      work(processor, other, stream.kind == Kind::kNames ? "? 1:1\n" : "1 1:1 2:1\n0 3:1\n");
    };
  }
  if (options.promotes) {
    hooks.wants_pause = [&] { return ++pauses % 700 == 0; };
    hooks.pause = [&] {
      StreamProcessor twin = processor_of(options.algorithm);
      REQUIRE(twin.restore(saved(processor)).has_value());
      REQUIRE(processor.promote(twin, "checkpoint").has_value());
    };
  }
  processor.set_hooks(hooks);
  for (b = 0; b < bytes.size(); ++b) {
    Block block;
    block.feed = feed;
    block.bytes = bytes[b];
    if (b % 2 == 1) block.lengths = lengths_of(block.bytes.view);
    BlockResult result;
    CHECK(processor.process(block, false, result));
    outcome.replies += result.replies;
    if (options.asks && b % 2 == 0) CHECK(processor.draw_plan(nullptr).has_value());
  }
  outcome.state = saved(processor);
  outcome.predictions = processor.predictions();
  outcome.ahead = processor.read_ahead();
  return outcome;
}

bool same_state(const State& a, const State& b) {
  if (a.tensors().size() != b.tensors().size()) return false;
  for (const Tensor& tensor : a.tensors()) {
    const Tensor* const other = b.find(tensor.name);
    if (other == nullptr || other->bytes != tensor.bytes) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("lines that were read ahead are learned as those that were not, in every format") {
  for (const Kind kind : kKinds) {
    CAPTURE(static_cast<int>(kind));
    const Stream stream = stream_of(kind, 6000, false);
    const Outcome plain = learn(stream, {}, nullptr);
    CHECK(plain.ahead == 0);
    const Outcome ahead = learn(stream, {}, std::make_shared<AtOnce>());
    CHECK(same_state(plain.state, ahead.state));
    CHECK(ahead.ahead > 5000);
    const Outcome never = learn(stream, {}, std::make_shared<Never>());
    CHECK(same_state(plain.state, never.state));
    CHECK(never.ahead == 0);
  }
}

TEST_CASE("the state and the errors are the same for every number of threads that read") {
  for (const Kind kind : kKinds) {
    CAPTURE(static_cast<int>(kind));
    for (const Options& options :
         {Options{}, Options{"pairwise-screened"}, Options{"baseline"}, Options{"pairwise", 0.1},
          Options{"pairwise", 0, true}, Options{"pairwise", 0.2, true, true}, Options{"two-phase-ddaerr"}}) {
      CAPTURE(options.algorithm);
      const Stream stream = stream_of(kind, 3000, true);
      const Outcome plain = learn(stream, options, nullptr);
      CHECK(!plain.errors.empty());
      const Outcome at_once = learn(stream, options, std::make_shared<AtOnce>());
      CHECK(same_state(plain.state, at_once.state));
      CHECK(plain.errors == at_once.errors);
      for (const std::size_t threads : {1, 2, 7}) {
        const Outcome ahead = learn(stream, options, std::make_shared<ReadingThreads>(threads));
        CHECK(same_state(plain.state, ahead.state));
        CHECK(plain.errors == ahead.errors);
      }
    }
  }
}

TEST_CASE(
    "records over lines are learned from as rows of one line, in blocks of any size, whatever is read "
    "ahead") {
  const auto form = std::make_shared<TableForm>();
  form->dialect.width = kAttributes + 2;
  FormatOptions format;
  format.dimension = kAttributes;
  format.table.ignored = {parse_column("last")};
  format.form = form;
  const auto rows = [](const char* note) {
    Random random(5);
    std::string text;
    for (int i = 0; i < 4000; ++i) {
      std::string line = line_of(Kind::kCsv, random, false, false);
      line.pop_back();
      text += line + (i % 2000 < 1200 ? ",plain\n" : note);
    }
    return text;
  };
  const auto learn_rows = [&](const std::string& text, std::size_t size, std::shared_ptr<ReadJobs> jobs) {
    StreamProcessor processor = processor_of("pairwise");
    const bool reads_ahead = jobs != nullptr && size == 100'000;
    if (jobs) processor.set_read_jobs(std::move(jobs), true);
    const auto feed = processor.make_feed(std::make_shared<Door>(), Format::kCsv, format, 200'000, "");
    RecordFramer framer(feed->framing);
    std::string rest;
    for (std::size_t at = 0; at < text.size(); at += size) {
      rest += text.substr(at, size);
      const auto whole = framer.whole_records(rest);
      REQUIRE(whole.has_value());
      Block block;
      block.feed = feed;
      block.bytes = Bytes(rest.substr(0, *whole));
      block.bytes.has_quote = framer.has_quote();
      rest.erase(0, *whole);
      BlockResult result;
      CHECK(processor.process(block, false, result));
      CHECK(result.error_count == 0);
    }
    CHECK(feed->records == 4000);
    CHECK(feed->position == text.size());
    CHECK((processor.read_ahead() > 1000) == reads_ahead);
    return saved(processor);
  };
  const State plain = learn_rows(rows(",a note\n"), 50'000, nullptr);
  const std::string over_lines = rows(",\"a \"\"note\n\n\"\n");
  for (const std::size_t size : {997, 100'000}) {
    CHECK(same_state(plain, learn_rows(over_lines, size, nullptr)));
    CHECK(same_state(plain, learn_rows(over_lines, size, std::make_shared<AtOnce>())));
  }
}

TEST_CASE("amid a block another learner may take the place of the one that lines were read for") {
  Options options;
  options.promotes = true;
  for (const Kind kind : kKinds) {
    CAPTURE(static_cast<int>(kind));
    const Stream stream = stream_of(kind, 6000, false);
    const Outcome plain = learn(stream, options, nullptr);
    const Outcome ahead = learn(stream, options, std::make_shared<AtOnce>());
    CHECK(same_state(plain.state, ahead.state));
    CHECK(ahead.ahead > 1000);
  }
}

TEST_CASE("predictions are the same for every number of reading threads") {
  for (const Kind kind : kKinds) {
    CAPTURE(static_cast<int>(kind));
    for (const Options& options :
         {Options{}, Options{"pairwise-screened"}, Options{"pairwise", 0.2, true, true}}) {
      for (const bool with_odd_ones : {false, true}) {
        const Stream stream = stream_of(kind, 6000, with_odd_ones, {2000, 5000});
        const Outcome plain = learn(stream, options, nullptr);
        CHECK(plain.predictions > 2900);
        CHECK(std::ranges::count(plain.replies, '\n') > 2900);
        std::vector<std::shared_ptr<ReadJobs>> all{std::make_shared<AtOnce>(), std::make_shared<Never>()};
        for (const std::size_t threads : {1, 2, 7}) all.push_back(std::make_shared<ReadingThreads>(threads));
        for (const auto& jobs : all) {
          const Outcome ahead = learn(stream, options, jobs);
          CHECK(ahead.replies == plain.replies);
          CHECK(ahead.predictions == plain.predictions);
          CHECK(ahead.errors == plain.errors);
          CHECK(same_state(plain.state, ahead.state));
        }
      }
    }
    const Outcome ahead = learn(stream_of(kind, 6000, false, {2000, 5000}), {}, std::make_shared<AtOnce>());
    CHECK(ahead.ahead > 5000);
  }
}

TEST_CASE("reading threads know a new name that got a free index below the others") {
  // The numbers of the first lines leave the names below them free.
  Stream stream{Kind::kNames, {}};
  const auto line = [](int i, const char* text) {
    return fmt::format("{} | {}:{}\n", i % 5, text, 1 + i % 3);
  };
  std::string text;
  for (int i = 0; i < 400; ++i) text += fmt::format("{} | 10:1 above:{}\n", i % 5, i % 7);
  stream.blocks.push_back(std::exchange(text, {}));
  for (int i = 0; i < 300; ++i) text += fmt::format("| above:{}\n", i % 7);
  stream.blocks.push_back(std::exchange(text, {}));
  for (int i = 0; i < 40; ++i) text += line(i, "below");
  stream.blocks.push_back(std::exchange(text, {}));
  for (int i = 0; i < 300; ++i) text += fmt::format("| below:{} above:1\n", i % 7);
  stream.blocks.push_back(text);
  const Outcome plain = learn(stream, {}, nullptr);
  const Outcome ahead = learn(stream, {}, std::make_shared<AtOnce>());
  CHECK(ahead.ahead > 300);
  CHECK(ahead.replies == plain.replies);
  CHECK(same_state(plain.state, ahead.state));
}

TEST_CASE("predictions of long lines are the same for every number of reading threads") {
  Stream stream{Kind::kNumbers, {}};
  Random random(5);
  std::string text;
  for (int i = 0; i < 600; ++i) text += line_of(Kind::kNumbers, random, false, false);
  stream.blocks.push_back(std::exchange(text, {}));
  for (int i = 0; i < 400; ++i) {
    text += "| " + std::string(random.below(40) == 0 ? random.below(100'000) : 0, ' ') +
            fmt::format("1:{} 4:0.5\n", i % 9);
  }
  stream.blocks.push_back(text);
  const Outcome plain = learn(stream, {}, nullptr);
  CHECK(plain.predictions > 390);
  for (const std::size_t threads : {1, 3}) {
    const Outcome ahead = learn(stream, {}, std::make_shared<ReadingThreads>(threads));
    CHECK(ahead.replies == plain.replies);
    CHECK(same_state(plain.state, ahead.state));
  }
}

TEST_CASE("records that are held out shift no plan of those that are read ahead") {
  const Stream stream = stream_of(Kind::kNumbers, 6000, false);
  CHECK(learn(stream, {"pairwise", 0.1}, std::make_shared<AtOnce>()).ahead > 4500);
}

TEST_CASE("a learner whose plans are not whole at first is read for as it comes") {
  const Stream stream = stream_of(Kind::kNumbers, 2000, false);
  CHECK(learn(stream, {"two-phase-ddaerr"}, std::make_shared<AtOnce>()).ahead == 0);
}

}  // namespace stream_processor_reading_test
