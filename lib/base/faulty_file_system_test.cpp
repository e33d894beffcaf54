#include <doctest/doctest.h>
#include <string>
#include <string_view>

#include "base/faulty_file_system_test_support.h"

namespace faulty_file_system_test {

using glimpse::FaultyFileSystem;
using Tail = glimpse::FaultyFileSystem::Tail;

namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string content(FaultyFileSystem& files, const std::string& path) {
  auto bytes = files.read(path);
  if (!bytes) return fmt::format("({})", bytes.error().message);
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

/// A folder /d with the durable file /d/a of "synced", and " unsynced" appended to it.
void write_and_sync_half(FaultyFileSystem& files) {
  REQUIRE(files.create_directories("/d").has_value());
  auto file = files.create("/d/a");
  REQUIRE(file.has_value());
  REQUIRE((*file)->append(bytes_of("synced")).has_value());
  REQUIRE((*file)->sync().has_value());
  REQUIRE(files.sync_directory("/d").has_value());
  REQUIRE((*file)->append(bytes_of(" tail")).has_value());
}

}  // namespace

TEST_CASE("a crash loses the unsynced tail, or leaves garbage in its place, or spares it") {
  for (const auto& [tail, expected] :
       {std::pair{Tail::kLost, "synced"}, std::pair{Tail::kGarbage, "synced\xA5\xA5\xA5\xA5\xA5"},
        std::pair{Tail::kKept, "synced tail"}}) {
    FaultyFileSystem files;
    write_and_sync_half(files);
    CHECK(content(files, "/d/a") == "synced tail");
    files.crash(false, tail);
    CHECK(content(files, "/d/a") == expected);
  }
}

TEST_CASE("a crash undoes renames, creations and removals unless their folder was synced") {
  for (const bool synced : {false, true}) {
    FaultyFileSystem files;
    write_and_sync_half(files);
    REQUIRE(files.create("/d/b").has_value());
    REQUIRE(files.rename("/d/a", "/d/c").has_value());
    if (synced) REQUIRE(files.sync_directory("/d").has_value());
    files.crash(false, Tail::kLost);
    const auto expected = synced ? std::vector<std::string>{"b", "c"} : std::vector<std::string>{"a"};
    CHECK(files.list("/d").value() == expected);

    REQUIRE(files.remove("/d/" + expected.back()).has_value());
    if (synced) REQUIRE(files.sync_directory("/d").has_value());
    files.crash(false, Tail::kLost);
    CHECK(files.list("/d")->size() == expected.size() - (synced ? 1 : 0));
  }
}

TEST_CASE("names may survive a crash although the bytes behind them do not") {
  FaultyFileSystem files;
  REQUIRE(files.create_directories("/d").has_value());
  REQUIRE((*files.create("/d/x"))->append(bytes_of("bytes")).has_value());
  REQUIRE(files.rename("/d/x", "/d/y").has_value());
  files.crash(true, Tail::kLost);
  CHECK(content(files, "/d/y").empty());
}

TEST_CASE("the n-th operation fails, once, and half of an append may have happened") {
  FaultyFileSystem files;
  REQUIRE(files.create_directories("/d").has_value());
  files.fail_at(2, FaultyFileSystem::FailedAppend::kHalf);
  auto file = files.create("/d/x");
  REQUIRE(file.has_value());
  const auto append = (*file)->append(bytes_of("12345678"));
  REQUIRE(!append.has_value());
  CHECK(append.error().message == "cannot write /d/x: Input/output error");
  CHECK(content(files, "/d/x") == "1234");
  CHECK((*file)->append(bytes_of("5")).has_value());
  CHECK(files.operations() == 3);
}

TEST_CASE("after the power went everything fails until the crash is over, old files for ever") {
  FaultyFileSystem files;
  REQUIRE(files.create_directories("/d").has_value());
  auto file = files.create("/d/x");
  REQUIRE(files.sync_directory("/d").has_value());
  files.lose_power_at(1);
  CHECK(!(*file)->append(bytes_of("1")).has_value());
  CHECK(!(*file)->sync().has_value());
  CHECK(!files.rename("/d/x", "/d/y").has_value());
  files.crash(false, Tail::kLost);
  CHECK(!(*file)->append(bytes_of("1")).has_value());
  CHECK(content(files, "/d/x").empty());
  CHECK(files.rename("/d/x", "/d/y").has_value());
}

}  // namespace faulty_file_system_test
