#include "daemon/fleet/owned_partition.h"

#include <cstring>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "data/formats.h"
#include "learn/factory.h"

namespace owned_partition_test {

using namespace glimpse;

namespace {

constexpr std::size_t kDimension = 2;
constexpr std::size_t kMaxLine = 100;

struct Reading {
  Format format = Format::kAuto;
  HeaderChoice header = HeaderChoice::kNo;
};

OwnedPartition open(const Reading& reading, const State* state, const StateVersion& version) {
  LearnerOptions options;
  options.algorithm = "pairwise";
  options.dimension = kDimension;
  options.budget = 2;
  auto learner = make_learner(options);
  REQUIRE(learner.has_value());
  auto processor = std::make_unique<StreamProcessor>(std::move(*learner), AttributeNames(kDimension), 7);
  if (state != nullptr) REQUIRE(processor->restore(*state).has_value());
  FormatOptions format;
  format.dimension = kDimension;
  format.table.delimiter = 0;
  format.table.header = reading.header;
  format.known_table = &processor->known_table();
  const Format of_rows = reading.format == Format::kNpy ? Format::kF32 : reading.format;
  auto feed = processor->make_feed(std::make_shared<Door>(), of_rows, format, kMaxLine, {});
  return OwnedPartition("t", 3, std::move(processor), std::move(feed), version,
                        framing_of(reading.format, kDimension, kMaxLine));
}

// Another owner takes the partition over.
OwnedPartition taken_over(const Reading& reading, OwnedPartition& before) {
  const auto bytes = before.encode();
  REQUIRE(bytes.has_value());
  const auto state = decode_checkpoint(std::as_bytes(std::span(*bytes)));
  REQUIRE(state.has_value());
  return open(reading, &*state, {.sequence = 1, .offset = before.next_offset()});
}

std::uint64_t examples(OwnedPartition& partition) {
  return partition.processor().learner().counts().examples;
}

// What `first` and then `second` come to, with a takeover between them and without: the same.
void check_takeover(const Reading& reading, const std::vector<std::string>& first,
                    const std::vector<std::string>& second, std::uint64_t learned, std::uint64_t refused) {
  OwnedPartition whole = open(reading, nullptr, {});
  OwnedPartition before = open(reading, nullptr, {});
  std::uint64_t offset = 0;
  for (const std::string& message : first) {
    CHECK(whole.take(offset, message));
    CHECK(before.take(offset++, message));
  }
  OwnedPartition after = taken_over(reading, before);
  for (const std::string& message : second) {
    CHECK(whole.take(offset, message));
    CHECK(after.take(offset++, message));
  }
  CHECK(examples(whole) == learned);
  CHECK(examples(after) == learned);
  CHECK(before.refused() + after.refused() == refused);
  CHECK(whole.refused() == refused);
  CHECK(after.next_offset() == offset);
  OwnedPartition last = taken_over(reading, after);  // both with as many states before
  OwnedPartition last_whole = taken_over(reading, whole);
  CHECK(*last.encode() == *last_whole.encode());
}

std::string rows(const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::string npy(const std::vector<float>& values) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                       std::to_string(values.size() / (kDimension + 1)) + ", " +
                       std::to_string(kDimension + 1) + "), }";
  header.resize(117, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + rows(values);
}

}  // namespace

TEST_CASE("owned partition: a format that the first records showed is the next owner's as well") {
  check_takeover({}, {"1,2,3", "2,3,5", "3,1,2"}, {"hello world", "1,5,2", "1 0:3 1:2", "2,2,2"}, 5, 2);
}

TEST_CASE("owned partition: a delimiter that the first row showed is the next owner's as well") {
  check_takeover({.format = Format::kCsv}, {"1;2;3", "2;3;5"}, {"1,2,3,4", "3;1;2"}, 3, 1);
}

TEST_CASE("owned partition: a line of column names counts for what all owners read") {
  check_takeover({.format = Format::kCsv, .header = HeaderChoice::kYes}, {"a,label,b", "2,1,3"},
                 {"3,2,5", "1,4,4"}, 3, 0);
}

TEST_CASE("owned partition: each message of npy has a header, whichever instance reads it") {
  const std::string message = npy({1, 2, 3, 2, 5, 4});
  check_takeover({.format = Format::kNpy}, {message, message}, {message, "no array", message}, 8, 1);
}

TEST_CASE("owned partition: a message with a part of a row is refused as a whole") {
  OwnedPartition partition = open({.format = Format::kF32}, nullptr, {});
  CHECK(partition.take(0, rows({1, 2, 3, 2, 5, 4})));
  CHECK(partition.take(1, rows({1, 2, 3, 2, 5})));
  CHECK(partition.take(2, "abc"));
  CHECK(examples(partition) == 2);
  CHECK(partition.refused() == 2);
  CHECK(partition.next_offset() == 3);
}

TEST_CASE("owned partition: a message with a line over the limit is refused as a whole") {
  OwnedPartition partition = open({.format = Format::kCsv}, nullptr, {});
  CHECK(partition.take(0, "1,2,3\n2,3,4"));
  CHECK(partition.take(1, "1,2,3\n2,3,4" + std::string(kMaxLine, ' ')));
  CHECK(partition.take(2, "1,2,4"));
  CHECK(examples(partition) == 3);
  CHECK(partition.refused() == 1);
}

TEST_CASE(
    "owned partition: a state tells how it was learned, and one of other options is refused with both") {
  OwnedPartition partition = open({}, nullptr, {});
  CHECK(partition.take(0, "1,2,3"));
  partition.set_learning("seed=1\nhold-out=0.5\n");
  const auto state = decode_checkpoint(std::as_bytes(std::span(*partition.encode())));
  REQUIRE(state.has_value());
  CHECK(OwnedPartition::check_learning(*state, 3, "seed=1\nhold-out=0.5\n").has_value());
  CHECK(OwnedPartition::check_learning(*state, 3, "seed=1\nhold-out=0.5\nnew=2\n").has_value());
  const Status other = OwnedPartition::check_learning(*state, 3, "seed=1\nhold-out=0\n");
  REQUIRE_FALSE(other.has_value());
  CHECK(other.error().code == ErrorCode::kMismatch);
  CHECK(other.error().message.starts_with(
      "the state of partition 3 was learned with hold-out=0.5, and this instance has hold-out=0: "));
  OwnedPartition of_earlier_build = open({}, nullptr, {});
  const auto silent = decode_checkpoint(std::as_bytes(std::span(*of_earlier_build.encode())));
  REQUIRE(silent.has_value());
  CHECK(OwnedPartition::check_learning(*silent, 3, "seed=1\n").has_value());
}

TEST_CASE("owned partition: a message that is inside already is not learned again") {
  OwnedPartition before = open({}, nullptr, {});
  CHECK(before.take(5, "1,2,3"));
  OwnedPartition after = taken_over({}, before);
  CHECK_FALSE(after.take(5, "1,2,3"));
  CHECK(after.take(6, "1,2,3"));
  CHECK(examples(after) == 2);
}

}  // namespace owned_partition_test
