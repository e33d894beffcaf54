#include "daemon/fleet/fleet_member.h"

#include <deque>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/faulty_file_system_test_support.h"
#include "daemon/fleet/owned_partition_test_support.h"

namespace fleet_member_test {

using namespace glimpse;

namespace {

constexpr std::size_t kDimension = 3;

Result<OwnedPartition> open_small(std::uint32_t partition, const State* state, const StateVersion& version) {
  return owned_partition_test_support::open_partition(partition, state, version,
                                                      {.dimension = kDimension, .budget = 2});
}

// A state topic of one partition, in memory: every member reads it from its beginning.
struct Topic {
  struct Message {
    std::string key, version, payload;
  };
  std::vector<Message> messages;
  std::optional<std::uint64_t> learned_to;  // the group's offset
};

// One member beside it, which does as the brokers say.
struct Instance : FleetLink {
  Topic& topic;
  std::size_t read = 0;
  bool is_answered = true;  // when it asks for extents
  int asked = 0;
  Answer next = Answer::kDone;  // to a commit
  std::vector<std::string> corrupt;
  FleetMember member;

  Instance(Topic& of, StateFolder* folder, std::uint64_t limit, bool owns = true)
      : topic(of),
        member(
            *this,
            {.topic = "t", .partitions = 1, .most_state_bytes = limit, .chunk_bytes = 500, .folder = folder},
            {.open = open_small, .found = {}, .corrupt = [this](const Error& error) {
               corrupt.push_back(error.message);
             }}) {
    const std::uint32_t all[] = {0};
    if (owns) member.assigned(all);
    if (owns) turn();
  }

  void turn() {
    (void)member.turn();
    read_to(topic.messages.size());
    (void)member.turn();
  }
  // So many messages of the topic, which then seems to end there.
  void read_to(std::size_t end) {
    while (read < end) {
      const Topic::Message message = topic.messages[read++];
      member.state_message(message.key, message.version, message.payload);
      member.state_read(0, read);
    }
    member.states_at_end(0);
  }
  // Learns from so many messages, and commits.
  bool learn(std::uint64_t messages) {
    for (std::uint64_t i = 0; i < messages; ++i) {
      const std::uint64_t offset = member.owned(0)->next_offset();
      member.message(0, offset, fmt::format("{} | 0:{} 1:1 2:{}\n", offset % 3, offset % 5, offset % 7));
    }
    const bool done = member.commit(0);
    turn();
    return done;
  }
  std::uint64_t offset() { return member.owned(0)->next_offset(); }

  Answer fence(std::uint32_t) override { return Answer::kDone; }
  std::vector<std::optional<Extent>> extents(std::span<const std::uint32_t>) override {
    ++asked;
    if (!is_answered) return {};
    return {Extent{topic.learned_to, topic.messages.size(), 0}};
  }
  void start(std::uint32_t, std::uint64_t) override {}
  Answer commit(std::uint32_t, const StateChunks& state) override {
    if (next != Answer::kDone) return next;
    for (std::uint32_t c = 0; c < state.version().chunks; ++c)
      topic.messages.push_back(
          {format_chunk_key(state.key(c)), format_version(state.version()), std::string(state.payload(c))});
    topic.learned_to = state.version().offset;
    return Answer::kDone;
  }
  void release(std::uint32_t) override {}
};

struct Shared {
  Topic topic;
  FaultyFileSystem files;
  StateFolder folder{files, "/shared", "s", "tag", 1 << 20};
  Shared() {
    REQUIRE(files.create_directories("/shared").has_value());
    REQUIRE(folder.open().has_value());
  }
  std::vector<std::string> names() { return *files.list("/shared/s"); }
  std::string path(std::size_t n) { return "/shared/s/" + names().at(n); }
};

constexpr std::uint64_t kSmall = 100;  // bytes: every state is beyond it

}  // namespace

TEST_CASE(
    "fleet member: a state beyond the limit goes to the folder, and its next owner goes on from there") {
  Shared shared;
  Instance first(shared.topic, &shared.folder, kSmall);
  for (int commit = 0; commit < 5; ++commit) CHECK(first.learn(100));
  CHECK(shared.names().size() == 2);  // the newest and the one before it
  CHECK(shared.topic.messages.size() == 5);
  CHECK(first.corrupt.empty());
  // What compaction has not removed yet names files that are gone: they are not asked for.
  Instance second(shared.topic, &shared.folder, kSmall);
  CHECK(second.offset() == 500);
  CHECK(second.member.owned(0)->processor().learner().counts().examples == 500);
  CHECK(second.corrupt.empty());
}

TEST_CASE("fleet member: a state of which a chunk was removed is named, and the state before it is used") {
  Shared shared;
  Instance first(shared.topic, nullptr, 1 << 20);
  auto& messages = shared.topic.messages;
  std::size_t before = 0;  // messages of the states before the newest
  for (int commit = 0; commit < 3; ++commit) {
    before = messages.size();
    CHECK(first.learn(100));
  }
  const std::size_t chunks = messages.size() - before;
  REQUIRE(chunks > 2);
  SUBCASE("a chunk of it") {
    messages.back().payload.clear();
    Instance second(shared.topic, nullptr, 1 << 20);
    CHECK(second.offset() == 200);
    REQUIRE(second.corrupt.size() == 1);
    CHECK(second.corrupt[0] == fmt::format("state 3 of partition 0: 1 of its {} chunks are missing", chunks));
  }
  SUBCASE("all of them") {
    messages.resize(before);
    Instance second(shared.topic, nullptr, 1 << 20);
    CHECK(second.offset() == 200);
    REQUIRE(second.corrupt.size() == 1);
    CHECK(second.corrupt[0] ==
          "the state of partition 0 of offset 300, up to which the group has learned, is gone, and "
          "state 2 of offset 200 is the newest");
  }
  SUBCASE("none of them") {
    Instance second(shared.topic, nullptr, 1 << 20);
    CHECK(second.offset() == 300);
    CHECK(second.corrupt.empty());
  }
}

TEST_CASE("fleet member: a file that is damaged is named, and the state before it is used") {
  Shared shared;
  Instance first(shared.topic, &shared.folder, kSmall);
  for (int commit = 0; commit < 3; ++commit) first.learn(100);
  shared.files.put(shared.path(1), std::vector<std::byte>(10));
  Instance second(shared.topic, &shared.folder, kSmall);
  CHECK(second.offset() == 200);
  REQUIRE(second.corrupt.size() == 1);
  CHECK(second.corrupt[0].find("state 3 of partition 0") != std::string::npos);
  CHECK(second.corrupt[0].find("has 10 bytes") != std::string::npos);
  // It is written again, and all is well.
  CHECK(second.learn(100));
  Instance third(shared.topic, &shared.folder, kSmall);
  CHECK(third.offset() == 300);
  CHECK(third.corrupt.empty());
}

TEST_CASE("fleet member: a reader that lags does not report files that newer states have replaced") {
  Shared shared;
  Instance first(shared.topic, &shared.folder, kSmall);
  CHECK(first.learn(100));
  Instance reader(shared.topic, &shared.folder, kSmall, false);
  reader.read_to(1);
  for (int commit = 0; commit < 4; ++commit) CHECK(first.learn(100));
  reader.read_to(3);  // the file of the third is gone
  CHECK(reader.corrupt.empty());
  CHECK(reader.member.newest_version(0)->sequence == 1);
  reader.read_to(5);
  CHECK(reader.corrupt.empty());
  CHECK(reader.member.newest_version(0)->sequence == 5);
  // A file that is gone, and that nothing has replaced, is missed by the next owner.
  REQUIRE(shared.files.remove(shared.path(1)).has_value());
  Instance second(shared.topic, &shared.folder, kSmall);
  CHECK(second.offset() == 400);
  REQUIRE(second.corrupt.size() == 1);
  CHECK(second.corrupt[0].find("state 5 of partition 0") == 0);
}

TEST_CASE("fleet member: a partition is not learned from before its extent is known") {
  Topic topic;
  Instance first(topic, nullptr, 1 << 20, false);
  first.is_answered = false;
  const std::uint32_t all[] = {0};
  first.member.assigned(all);
  first.turn();
  CHECK(first.asked == 2);  // once a turn
  CHECK(first.member.phase(0) == FleetMember::Phase::kReading);
  first.is_answered = true;
  first.turn();
  CHECK(first.member.phase(0) == FleetMember::Phase::kLearning);
}

TEST_CASE("fleet member: a partition with a group offset and without a state is refused") {
  Topic topic;
  topic.learned_to = 7;
  Instance first(topic, nullptr, 1 << 20);
  REQUIRE(first.member.refusal().has_value());
  CHECK(first.member.refusal()->message.find("has learned it up to offset 7: its states were deleted") !=
        std::string::npos);
}

TEST_CASE("fleet member: oversized messages are counted when more come than the buffer holds") {
  Topic topic;
  Instance first(topic, nullptr, 1 << 20);
  const std::string line = "1 |" + std::string(1200, ' ') + "0:1\n";  // the limit is 1000
  constexpr std::uint64_t kMany = 200;                                // more than are buffered
  for (std::uint64_t offset = 0; offset < kMany; ++offset) first.member.message(0, offset, line);
  first.member.work_off();
  CHECK(first.member.oversized(0) == kMany);
  CHECK(first.member.refused(0) == kMany);
  const std::uint32_t all[] = {0};
  first.member.lost(all);
  CHECK(first.member.oversized(0) == kMany);
}

TEST_CASE("fleet member: without the files of a partition no instance starts it from nothing") {
  Shared shared;
  Instance first(shared.topic, &shared.folder, kSmall);
  for (int commit = 0; commit < 3; ++commit) first.learn(100);
  while (!shared.names().empty()) REQUIRE(shared.files.remove(shared.path(0)).has_value());
  Instance second(shared.topic, &shared.folder, kSmall);
  CHECK(second.member.phase(0) != FleetMember::Phase::kLearning);
  REQUIRE(second.member.refusal().has_value());
  CHECK(second.member.refusal()->message.find("none of the states of partition 0 can be used") == 0);
}

TEST_CASE("fleet member: an instance without the folder is refused, and so is a state that is too large") {
  Shared shared;
  Instance alone(shared.topic, nullptr, kSmall);
  CHECK(!alone.learn(100));
  REQUIRE(alone.member.refusal().has_value());
  CHECK(alone.member.refusal()->message.find("--fleet-state-folder") != std::string::npos);
  Instance first(shared.topic, &shared.folder, kSmall);
  CHECK(first.learn(100));
  Instance second(shared.topic, nullptr, kSmall);
  REQUIRE(second.member.refusal().has_value());
  CHECK(second.member.refusal()->message.find("give all instances the same --fleet-state-folder") !=
        std::string::npos);
}

TEST_CASE("fleet member: a folder without room is told of, and written to again later") {
  Shared shared;
  Instance first(shared.topic, &shared.folder, kSmall);
  shared.files.fail_at(1);
  CHECK(!first.learn(100));
  CHECK(!first.member.folder_trouble().empty());
  CHECK(!first.member.refusal().has_value());
  CHECK(first.learn(0));
  CHECK(first.member.folder_trouble().empty());
  Instance second(shared.topic, &shared.folder, kSmall);
  CHECK(second.offset() == 100);
}

TEST_CASE("fleet member: who awaits a commit is told when it came, and when it never will") {
  Topic topic;
  Instance first(topic, nullptr, 1 << 20);
  std::vector<std::string> told;
  const auto await = [&](const char* name) {
    first.member.await_commit(
        0, [&told, name](bool is_committed) { told.push_back(fmt::format("{} {}", name, is_committed)); });
  };
  await("nothing new");
  CHECK(told == std::vector<std::string>{"nothing new true"});
  first.member.owned(0)->processor().note_change();
  await("asked");
  CHECK(first.member.is_awaited(0));
  first.next = FleetLink::Answer::kLater;
  CHECK(!first.learn(0));
  CHECK(told.size() == 1);
  first.next = FleetLink::Answer::kDone;
  CHECK(first.learn(0));
  CHECK(told.back() == "asked true");
  CHECK(!first.member.is_awaited(0));
  first.member.owned(0)->processor().note_change();
  await("fenced");
  first.next = FleetLink::Answer::kFenced;
  (void)first.member.commit(0);
  CHECK(told.back() == "fenced false");
  CHECK(told.size() == 3);
}

}  // namespace fleet_member_test
