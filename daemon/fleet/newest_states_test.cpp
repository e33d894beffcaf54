#include "daemon/fleet/newest_states.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "base/random.h"

namespace newest_states_test {

using namespace glimpse;

namespace {

constexpr std::uint64_t kMost = 1'000'000;

struct Message {
  std::string key, version, payload;
};

void append(std::vector<Message>& log, const std::string& bytes, std::uint32_t partition,
            std::uint64_t sequence, std::size_t most = 4) {
  const auto chunks = StateChunks::cut(bytes, partition, sequence, sequence * 10, most);
  for (std::uint32_t c = 0; c < chunks->version().chunks; ++c)
    log.push_back({format_chunk_key(chunks->key(c)), format_version(chunks->version()),
                   std::string(chunks->payload(c))});
}

// What is left of a log whose older messages of each key were removed.
std::vector<Message> compacted(const std::vector<Message>& log) {
  std::vector<Message> left;
  for (std::size_t i = 0; i < log.size(); ++i)
    if (std::none_of(log.begin() + static_cast<std::ptrdiff_t>(i) + 1, log.end(),
                     [&](const Message& later) { return later.key == log[i].key; }))
      left.push_back(log[i]);
  return left;
}

// The last whole state of partition 0.
std::string last_of(NewestStates& states, const std::vector<Message>& log) {
  std::string bytes;
  for (const Message& message : log) {
    auto found = states.take(message.key, message.version, message.payload);
    if (found && *found && (*found)->partition == 0) bytes = std::move((*found)->bytes);
  }
  return bytes;
}

std::string last_of(const std::vector<Message>& log) {
  NewestStates states(2, kMost);
  return last_of(states, log);
}

}  // namespace

TEST_CASE("newest states: the newest whole one is found, in whatever order messages come") {
  std::vector<Message> log;
  append(log, "the first one", 0, 1);
  append(log, "the second, longer one", 0, 2);
  append(log, "third", 0, 3);
  append(log, "of another partition", 1, 9);
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    for (std::size_t i = log.size() - 1; i > 0; --i) std::swap(log[i], log[random.below(i + 1)]);
    CHECK(last_of(log) == "third");
  }
}

TEST_CASE("newest states: messages that come twice change nothing") {
  std::vector<Message> log;
  append(log, "the first one", 0, 1);
  append(log, "the second", 0, 2);
  std::vector<Message> twice = log;
  twice.insert(twice.end(), log.begin(), log.end());
  NewestStates states(2, kMost);
  CHECK(last_of(states, log) == "the second");
  CHECK(last_of(states, log).empty());  // nothing newer
  CHECK(states.pending_bytes() == 0);
  CHECK(last_of(twice) == "the second");
}

TEST_CASE("newest states: an unfinished state leaves the one before it in place") {
  std::vector<Message> log;
  append(log, "the first one", 0, 1);
  append(log, "the second one", 0, 2);
  log.pop_back();
  CHECK(last_of(log) == "the first one");
}

TEST_CASE("newest states: a state of which chunks were removed is told of once, where none newer is whole") {
  std::vector<Message> log;
  append(log, "the first one", 0, 1);
  append(log, "the second, longer one", 0, 2);
  log.back().payload.clear();
  NewestStates states(2, kMost);
  CHECK(last_of(states, log) == "the first one");
  CHECK_FALSE(states.take_incomplete(1).has_value());
  const auto incomplete = states.take_incomplete(0);
  REQUIRE(incomplete.has_value());
  CHECK(incomplete->code == ErrorCode::kCorrupt);
  CHECK(incomplete->message == "state 2 of partition 0: 1 of its 6 chunks are missing");
  CHECK_FALSE(states.take_incomplete(0).has_value());
  // What compaction leaves of longer states of before is no damage.
  append(log, "3", 0, 3);
  append(log, "4", 0, 4);
  NewestStates later(2, kMost);
  CHECK(last_of(later, compacted(log)) == "4");
  CHECK_FALSE(later.take_incomplete(0).has_value());
}

TEST_CASE("newest states: after compaction the newest and the one before are there") {
  std::vector<Message> log;
  append(log, "first, with many chunks", 0, 1);
  append(log, "second, with many chunks", 0, 2);
  append(log, "third", 0, 3);
  append(log, "4th", 0, 4);
  std::vector<Message> left = compacted(log);
  CHECK(last_of(left) == "4th");
  std::erase_if(left, [](const Message& m) { return m.key == "0/0/0"; });  // of the fourth
  CHECK(last_of(left) == "third");
}

TEST_CASE("newest states: a corrupt chunk is named, and the state before is used") {
  std::vector<Message> log;
  append(log, "the first one", 0, 1);
  append(log, "the second one", 0, 2);
  log.back().payload[0] ^= 1;
  NewestStates states(2, kMost);
  std::string error;
  std::string bytes;
  for (const Message& message : log) {
    auto found = states.take(message.key, message.version, message.payload);
    if (!found) error = found.error().message;
    if (found && *found) bytes = (*found)->bytes;
  }
  CHECK(bytes == "the first one");
  CHECK(error.find("state 2 of partition 0") != std::string::npos);
  CHECK(error.find("checksum") != std::string::npos);
}

TEST_CASE("newest states: what is no chunk of these partitions is refused, and what is too large") {
  std::vector<Message> log;
  append(log, "state", 1, 1, 100);
  NewestStates one(1, kMost);
  CHECK(one.take(log[0].key, log[0].version, log[0].payload).error().code == ErrorCode::kCorrupt);
  NewestStates small(2, 4);
  CHECK(small.take(log[0].key, log[0].version, log[0].payload).error().code == ErrorCode::kTooLarge);
  NewestStates states(2, kMost);
  CHECK(states.take("1/0/0", log[0].version, log[0].payload).error().code == ErrorCode::kCorrupt);  // slot
  CHECK(states.take("1/1/1", log[0].version, log[0].payload).error().code == ErrorCode::kCorrupt);  // chunk
  CHECK(states.take("x", log[0].version, log[0].payload).error().code == ErrorCode::kCorrupt);
  CHECK(!states.take(log[0].key, log[0].version, "")->has_value());  // a tombstone
  CHECK(states.take(log[0].key, log[0].version, log[0].payload)->has_value());
}

TEST_CASE("newest states: states that never become whole take bounded memory") {
  NewestStates states(1, kMost);
  for (std::uint64_t sequence = 1; sequence < 1000; ++sequence) {
    std::vector<Message> log;
    append(log, "12345678", 0, sequence);
    (void)states.take(log[0].key, log[0].version, log[0].payload);
  }
  CHECK(states.pending_bytes() <= 16);
}

}  // namespace newest_states_test
