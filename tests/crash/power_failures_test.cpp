// The power goes at every single operation on the file system while a source is learned and checkpoints are
// written, with every kind of what a disk may then hold. After the restart the source is sent again from
// where the daemon says, and everything that a checkpoint holds is compared with that of an uninterrupted
// run.

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/faulty_file_system_test_support.h"
#include "base/random.h"
#include "checkpoint/checkpoint_store.h"
#include "daemon/training/stream_processor.h"
#include "learn/factory.h"

namespace power_failures_test {

using namespace glimpse;

namespace {

constexpr std::size_t kDimension = 6;
constexpr std::size_t kRecords = 60;
constexpr std::size_t kBlock = 4;            // records between two checkpoints
constexpr std::uint64_t kNever = 1'000'000;  // operations

using Tail = FaultyFileSystem::Tail;
using FailedAppend = FaultyFileSystem::FailedAppend;

struct Failure {
  bool names_survive = false;
  Tail tail = Tail::kLost;
  FailedAppend append = FailedAppend::kNothing;
};

std::vector<Failure> all_failures() {
  std::vector<Failure> all;
  for (const bool names : {false, true})
    for (const Tail tail : {Tail::kLost, Tail::kGarbage, Tail::kKept})
      for (const FailedAppend append : {FailedAppend::kNothing, FailedAppend::kHalf})
        all.push_back({names, tail, append});
  return all;
}

// Names that the stream brings, predictions, comments, and lines that cannot be read.
std::vector<std::string> records() {
  std::vector<std::string> all{"\n", "# nothing yet\n"};
  for (std::size_t i = 2; i < kRecords; ++i) {
    if (i % 11 == 0) {
      all.push_back("no example\n");
    } else {
      all.push_back(fmt::format("{}| name{}:{} b:{} c:{} d:1\n", i % 7 == 0 ? "" : fmt::format("{} ", i % 3),
                                i % 3, 0.25 * static_cast<double>(i % 5), 0.5 * static_cast<double>(i % 4),
                                i % 2 == 0 ? -1.5 : 0.125));
    }
  }
  return all;
}

// One life of a daemon, without its threads and sockets.
class Life {
 public:
  Life(FaultyFileSystem& files, const char* algorithm) : store_(files, "/state", 2) {
    LearnerOptions options;
    options.algorithm = algorithm;
    options.dimension = kDimension;
    options.budget = 3;
    processor_ =
        std::make_unique<StreamProcessor>(*make_learner(options), AttributeNames(kDimension), options.seed);
    processor_->sources().set_limit(10);
    processor_->set_buying(10, 1, {});
  }

  // False when the power goes meanwhile.
  bool restore() {
    const auto restored = store_.restore_newest();
    if (!restored) return false;
    if (restored->state) REQUIRE(processor_->restore(*restored->state).has_value());
    FormatOptions options;
    options.dimension = kDimension;
    feed_ = processor_->make_feed(std::make_shared<Door>(), Format::kAuto, options, 1000, "");
    REQUIRE(processor_->open_source(feed_, "s", std::nullopt).has_value());
    return true;
  }

  std::uint64_t inside() const { return feed_->source->records; }
  std::uint64_t durable() const { return feed_->source->durable; }

  // Sends on from where it is, with a checkpoint behind each block; false when the power goes.
  bool send(const std::vector<std::string>& all, const FaultyFileSystem& files, std::uint64_t power_at) {
    while (inside() < all.size()) {
      Block block;
      block.feed = feed_;
      std::string bytes;
      for (std::size_t i = inside(); i < all.size() && i < inside() + kBlock; ++i) bytes += all[i];
      block.bytes = Bytes(std::move(bytes));
      BlockResult result;
      processor_->process(block, false, result);
      save();
      if (files.operations() >= power_at) return false;
    }
    return true;
  }

  // A checkpoint that fails is none; learning goes on.
  void save() {
    const State state = this->state();
    const auto marks = processor_->sources().marks();
    if (store_.save(state, processor_->learner().counts().examples)) SourceTable::note_durable(marks);
  }

  State state() const {
    State state;
    state.begin();
    processor_->save(state);
    state.finish();
    return state;
  }

 private:
  CheckpointStore store_;
  std::unique_ptr<StreamProcessor> processor_;
  std::shared_ptr<Feed> feed_;
};

bool same(const State& a, const State& b) {
  if (a.tensors().size() != b.tensors().size() || a.texts().size() != b.texts().size()) return false;
  for (const Tensor& tensor : a.tensors()) {
    const Tensor* other = b.find(tensor.name);
    if (other == nullptr || other->type != tensor.type || other->bytes != tensor.bytes) return false;
  }
  for (std::size_t i = 0; i < a.texts().size(); ++i)
    if (a.texts()[i].name != b.texts()[i].name || a.texts()[i].value != b.texts()[i].value) return false;
  return true;
}

struct Uninterrupted {
  State state;
  std::uint64_t operations = 0;
};

Uninterrupted uninterrupted(const char* algorithm) {
  FaultyFileSystem files;
  Life life(files, algorithm);
  REQUIRE(life.restore());
  REQUIRE(life.send(records(), files, kNever));
  REQUIRE(life.durable() == kRecords);
  return {life.state(), files.operations()};
}

// Lives until one is not cut short; `cuts`: after how many operations the power goes in each, `failures`:
// how.
void check_lives(const char* algorithm, const Uninterrupted& straight, const std::vector<std::uint64_t>& cuts,
                 const std::vector<Failure>& failures) {
  const auto all = records();
  FaultyFileSystem files;
  std::uint64_t durable = 0;
  for (std::size_t n = 0; n <= cuts.size(); ++n) {
    const bool last = n == cuts.size();
    if (!last) files.lose_power_at(cuts[n], failures[n].append);
    Life life(files, algorithm);
    const std::uint64_t power_at = last ? kNever : files.operations() + cuts[n];
    if (life.restore()) {
      // What was told to be durable is there, and no more than was sent.
      REQUIRE(life.inside() >= durable);
      REQUIRE(life.inside() <= kRecords);
      const bool through = life.send(all, files, power_at);
      REQUIRE(life.durable() >= durable);
      durable = life.durable();
      if (through && last) {
        REQUIRE(life.inside() == kRecords);
        REQUIRE(same(life.state(), straight.state));
      }
    } else {
      REQUIRE_FALSE(last);
    }
    if (!last) files.crash(failures[n].names_survive, failures[n].tail);
  }
}

}  // namespace

TEST_CASE("the power goes at every operation of every checkpoint") {
  for (const char* algorithm : {"two-phase-ddaerr", "pairwise"}) {
    const Uninterrupted straight = uninterrupted(algorithm);
    REQUIRE(straight.operations > 60);
    for (std::uint64_t cut = 1; cut <= straight.operations; ++cut)
      for (const Failure& failure : all_failures()) {
        CAPTURE(algorithm);
        CAPTURE(cut);
        check_lives(algorithm, straight, {cut}, {failure});
      }
  }
}

TEST_CASE("the power goes again and again, also amid the recovery" * doctest::test_suite("repeats")) {
  const char* algorithm = "two-phase-ddaerr";
  const Uninterrupted straight = uninterrupted(algorithm);
  const auto failures = all_failures();
  Random random(5);
  for (int trial = 0; trial < 1000; ++trial) {
    CAPTURE(trial);
    std::vector<std::uint64_t> cuts;
    std::vector<Failure> chosen;
    for (int n = 0; n < 6; ++n) {
      cuts.push_back(1 + random.below(25));
      chosen.push_back(failures[random.below(failures.size())]);
    }
    check_lives(algorithm, straight, cuts, chosen);
  }
}

TEST_CASE("an operation that fails once costs its checkpoint and nothing else") {
  const char* algorithm = "two-phase-ddaerr";
  const Uninterrupted straight = uninterrupted(algorithm);
  for (std::uint64_t failing = 1; failing <= straight.operations; ++failing)
    for (const FailedAppend left : {FailedAppend::kNothing, FailedAppend::kHalf}) {
      CAPTURE(failing);
      FaultyFileSystem files;
      files.fail_at(failing, left);
      Life life(files, algorithm);
      REQUIRE(life.restore());
      REQUIRE(life.send(records(), files, kNever));
      life.save();
      REQUIRE(life.durable() == kRecords);
      REQUIRE(same(life.state(), straight.state));
      files.crash(false, FaultyFileSystem::Tail::kLost);
      Life next(files, algorithm);
      REQUIRE(next.restore());
      REQUIRE(next.inside() == kRecords);
      REQUIRE(same(next.state(), straight.state));
    }
}

}  // namespace power_failures_test
