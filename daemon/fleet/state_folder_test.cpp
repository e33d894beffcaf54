#include "daemon/fleet/state_folder.h"

#include <doctest/doctest.h>

#include "base/faulty_file_system_test_support.h"

namespace state_folder_test {

using namespace glimpse;

namespace {

constexpr std::uint64_t kMost = 1000;

struct Shared {
  FaultyFileSystem files;
  StateFolder folder{files, "/shared", "g-states", "tag", kMost};

  Shared() {
    REQUIRE(files.create_directories("/shared").has_value());
    REQUIRE(folder.open().has_value());
  }
  StateVersion write(std::uint32_t partition, std::uint64_t sequence, std::string_view bytes) {
    const StateVersion version = StateChunks::version_of_file(bytes, sequence, sequence * 10);
    REQUIRE(folder.write(partition, version, bytes).has_value());
    return version;
  }
  std::vector<std::string> names() { return *files.list("/shared/g-states"); }
};

std::string why(const Result<std::string>& read) { return read ? "" : read.error().message; }

}  // namespace

TEST_CASE("state folder: what is written is read, and survives a power failure") {
  Shared shared;
  const StateVersion version = shared.write(3, 17, "a large state");
  shared.files.crash(false, FaultyFileSystem::Tail::kLost);
  const auto read = shared.folder.read(3, version, StateFolder::name_of(3, version));
  REQUIRE_MESSAGE(read.has_value(), why(read));
  CHECK(*read == "a large state");
  CHECK(shared.names() == std::vector<std::string>{StateFolder::name_of(3, version)});
}

TEST_CASE("state folder: a file that is missing, damaged, cut or another's is named with its partition") {
  Shared shared;
  const StateVersion version = shared.write(3, 17, "a large state");
  const std::string name = StateFolder::name_of(3, version);
  const std::string path = shared.folder.path() + '/' + name;
  const auto expect = [&](std::string_view text, std::string_view named = {},
                          ErrorCode code = ErrorCode::kCorrupt) {
    const auto read = shared.folder.read(3, version, named.empty() ? name : named);
    REQUIRE(read.has_error());
    CHECK(read.error().code == code);
    CHECK(read.error().message.find("state 17 of partition 3, in " + path) != std::string::npos);
    CHECK_MESSAGE(read.error().message.find(text) != std::string::npos, read.error().message);
  };
  expect("names another file", "../../etc/passwd");
  const auto put = [&](std::string_view bytes) {
    const auto all = std::as_bytes(std::span(bytes));
    shared.files.put(path, {all.begin(), all.end()});
  };
  put("a LARGE state");
  expect("checksum");
  put("a large");
  expect("has 7 bytes, and the state 13");
  REQUIRE(shared.files.remove(path).has_value());
  expect("No such file", {}, ErrorCode::kNotFound);
}

TEST_CASE("state folder: a file larger than may be in memory is refused by its size") {
  Shared shared;
  const StateVersion version = shared.write(0, 1, std::string(kMost + 1, 'x'));
  CHECK(shared.folder.read(0, version, StateFolder::name_of(0, version)).error().code ==
        ErrorCode::kTooLarge);
}

TEST_CASE("state folder: older files of a partition are removed, and no others") {
  Shared shared;
  shared.write(1, 4, "old");
  shared.write(1, 4, "old, and its transaction failed");
  const StateVersion before = shared.write(1, 5, "before");
  const StateVersion newest = shared.write(1, 6, "newest");
  const StateVersion other = shared.write(11, 4, "another partition's");
  shared.files.put("/shared/g-states/.1-3-0.dead.tmp", {});
  shared.files.put("/shared/g-states/README", {});
  REQUIRE(shared.folder.remove_before(1, 5).has_value());
  CHECK(shared.names() == std::vector<std::string>{StateFolder::name_of(1, before),
                                                   StateFolder::name_of(1, newest),
                                                   StateFolder::name_of(11, other), "README"});
}

TEST_CASE("state folder: whatever step of writing fails, what had the name before is whole") {
  for (std::uint64_t failing = 1;; ++failing) {
    Shared shared;
    const StateVersion before = shared.write(0, 1, "before");
    const StateVersion version = StateChunks::version_of_file("state", 2, 20);
    shared.files.fail_at(failing);
    const Status status = shared.folder.write(0, version, "state");
    if (status) break;
    CHECK(status.error().code == ErrorCode::kSystem);
    shared.files.crash(false, FaultyFileSystem::Tail::kLost);
    CHECK(shared.folder.read(0, before, StateFolder::name_of(0, before)).has_value());
    const auto read = shared.folder.read(0, version, StateFolder::name_of(0, version));
    CHECK((read.has_error() || *read == "state"));
    REQUIRE(failing < 20);
  }
}

TEST_CASE("state folder: one whose place is not mounted is refused with what to do") {
  FaultyFileSystem files;
  StateFolder folder(files, "/shared", "g-states", "tag", kMost);
  const Status status = folder.open();
  REQUIRE(status.has_error());
  CHECK(status.error().message.find("mount") != std::string::npos);
}

}  // namespace state_folder_test
