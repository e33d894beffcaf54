// Checkpoints that are damaged, of another format, no regular files, or of a wrong size: set aside or
// refused.

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "checkpoint/checkpoint_store_test_support.h"

namespace checkpoint_store_set_aside_test {

using namespace glimpse;
using namespace glimpse::checkpoint_store_test;

TEST_CASE("a bad checkpoint is set aside with its reason and the one before it is restored") {
  FaultyFileSystem files;
  CheckpointStore store(files, "/state", 3);
  (void)store.save(state_of(1), 10);
  (void)store.save(state_of(2), 20);
  spoil(files, "/state/" + kSecond);

  CheckpointStore restarted(files, "/state", 3);
  const auto restored = restarted.restore_newest();
  REQUIRE(restored.has_value());
  CHECK(number_in(restored->state.value()) == 1);
  REQUIRE(restored->set_aside.size() == 1);
  CHECK(restored->set_aside[0].starts_with(kSecond + ": the checksum of "));
  CHECK(names_in(files) == std::vector{kFirst, kSecond + ".bad"});

  SUBCASE("once") { CHECK(restarted.restore_newest()->set_aside.empty()); }
  SUBCASE("and a second one of the same name does not replace it") {
    CHECK(CheckpointStore(files, "/state", 3).save(state_of(2), 20)->name == kSecond);
    spoil(files, "/state/" + kSecond);
    CHECK(number_after_restart(files) == 1);
    CHECK(names_in(files) == std::vector{kFirst, kSecond + ".2.bad", kSecond + ".bad"});
  }
  SUBCASE("and it is never deleted") {
    for (std::uint64_t i = 3; i < 9; ++i) (void)restarted.save(state_of(i), i);
    CHECK(std::ranges::count(names_in(files), kSecond + ".bad") == 1);
  }
}

TEST_CASE("when files are there and none verifies, starting is refused, again and again") {
  FaultyFileSystem files;
  CheckpointStore store(files, "/state", 3);
  (void)store.save(state_of(1), 10);
  (void)store.save(state_of(2), 20);
  spoil(files, "/state/" + kFirst);
  files.put("/state/" + kSecond, bytes_of("nonsense"));

  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto restored = CheckpointStore(files, "/state", 3).restore_newest();
    REQUIRE(!restored.has_value());
    const auto& [code, message] = restored.error();
    CHECK(code == ErrorCode::kCorrupt);
    CHECK(message.starts_with("no checkpoint in /state verifies (" + kSecond + ": not a glimpse checkpoint"));
    CHECK(message.find("; " + kFirst + ": the checksum of ") != message.npos);
    CHECK(message.ends_with("; to start without them use --restore never"));
    CHECK(names_in(files) == std::vector{kFirst, kSecond});
  }
}

TEST_CASE("a newest checkpoint of another format is neither skipped nor set aside") {
  FaultyFileSystem files;
  (void)CheckpointStore(files, "/state", 3).save(state_of(1), 10);
  std::string future = encode_checkpoint(state_of(2)).value();
  // Sealed with the checksum that the refusal of the changed file reveals.
  future[future.find("\\\"format\\\":1") + 11] = '9';
  const auto unsealed = decode_checkpoint(std::as_bytes(std::span(future))).error().message;
  future.replace(future.find("xxh3:") + 5, 16, unsealed.substr(unsealed.find("xxh3:") + 5, 16));
  files.put("/state/" + kSecond, bytes_of(future));

  const auto restored = CheckpointStore(files, "/state", 3).restore_newest();
  REQUIRE(!restored.has_value());
  CHECK(restored.error().code == ErrorCode::kMismatch);
  CHECK(restored.error().message ==
        "/state/" + kSecond + ": the checkpoint has format 9; this build reads format 1");
  CHECK(names_in(files) == std::vector{kFirst, kSecond});
}

TEST_CASE("a checkpoint that verifies and that the trial refuses is set aside like a damaged one") {
  FaultyFileSystem files;
  CheckpointStore store(files, "/state", 3);
  (void)store.save(state_of(1), 10);
  (void)store.save(state_of(2), 20);
  (void)store.save(state_of(3), 30);
  spoil(files, "/state/" + kThird);
  const auto trial_of = [](std::uint64_t most, ErrorCode code) {
    return [most, code](const State& state) -> Status {
      if (number_in(state) <= most) return {};
      return failure(code, "it has {}", number_in(state));
    };
  };

  SUBCASE("for the one before") {
    const auto restored = store.restore_newest(trial_of(1, ErrorCode::kCorrupt));
    REQUIRE(restored.has_value());
    CHECK(number_in(restored->state.value()) == 1);
    CHECK(restored->set_aside.size() == 1);
    CHECK(restored->not_restored == std::vector{kSecond + ": it has 2"});
    CHECK(names_in(files) == std::vector{kFirst, kSecond + ".bad", kThird + ".bad"});
    CHECK(store.save(state_of(2), 20)->name == kSecond);  // its number is free again
  }
  SUBCASE("unless it accepts none: then nothing is renamed") {
    const auto names = names_in(files);
    const auto restored = store.restore_newest(trial_of(0, ErrorCode::kCorrupt));
    REQUIRE(!restored.has_value());
    CHECK(restored.error().code == ErrorCode::kCorrupt);
    CHECK(restored.error().message.starts_with("no checkpoint in /state verifies and can be restored ("));
    CHECK(names_in(files) == names);
  }
  SUBCASE("but a trial that finds fault with something else refuses the start") {
    const auto names = names_in(files);
    const auto restored = store.restore_newest(trial_of(1, ErrorCode::kMismatch));
    REQUIRE(!restored.has_value());
    CHECK(restored.error().code == ErrorCode::kMismatch);
    CHECK(restored.error().message == "/state/" + kSecond + ": it has 2");
    CHECK(names_in(files) == names);
  }
}

TEST_CASE("what is no regular file is set aside without being opened, and is not counted among those kept") {
  for (const FileKind kind :
       {FileKind::kFifo, FileKind::kSocket, FileKind::kDevice, FileKind::kDirectory, FileKind::kLink}) {
    CAPTURE(describe(kind));
    FaultyFileSystem files;
    CheckpointStore store(files, "/state", 2);
    (void)store.save(state_of(1), 10);
    files.put_other("/state/" + kSecond, kind);
    SUBCASE("at a start") {
      const auto restored = CheckpointStore(files, "/state", 2).restore_newest();
      REQUIRE(restored.has_value());
      CHECK(number_in(restored->state.value()) == 1);
      CHECK(restored->set_aside ==
            std::vector{kSecond + ": it is " + describe(kind) + ", not a regular file"});
      CHECK(names_in(files) == std::vector{kFirst, kSecond + ".bad"});
    }
    SUBCASE("while running") {
      CHECK(store.save(state_of(3), 30)->warnings.empty());
      CHECK(names_in(files) == std::vector{kFirst, kSecond, kThird});
      CHECK(number_after_restart(files) == 3);
    }
    SUBCASE("and alone it refuses the start") {
      files.put("/state/" + kFirst, bytes_of("spoiled"));
      CHECK(CheckpointStore(files, "/state", 2).restore_newest().error().code == ErrorCode::kCorrupt);
    }
  }
}

TEST_CASE("a file of the wrong size is refused by its size, and not read") {
  const std::string sound = *encode_checkpoint(state_of(2));
  FaultyFileSystem files;
  CheckpointStore store(files, "/state", 2);
  (void)store.save(state_of(1), 10);
  std::string content;
  std::string reason;
  SUBCASE("zeros without end") {
    content = std::string(50'000'000, '\0');
    reason = "not a glimpse checkpoint: it does not begin like one";
  }
  SUBCASE("a sound one with much behind it") {
    content = sound + std::string(50'000'000, '\0');
    reason =
        fmt::format("it has {} bytes, but the arrays of its header end at {}", content.size(), sound.size());
  }
  SUBCASE("a truncated one") {
    content = sound.substr(0, sound.size() - 1);
    reason =
        fmt::format("it has {} bytes, but the arrays of its header end at {}", content.size(), sound.size());
  }
  SUBCASE("a header longer than the file") {
    content = sound;
    content[7] = '\x7f';
    reason = "its header is said to have ";
  }
  SUBCASE("nothing") { reason = "not a glimpse checkpoint"; }
  files.put("/state/" + kSecond, bytes_of(content));
  const std::uint64_t before = files.bytes_read();
  const auto restored = CheckpointStore(files, "/state", 2).restore_newest();
  REQUIRE(restored.has_value());
  CHECK(number_in(restored->state.value()) == 1);
  REQUIRE(restored->set_aside.size() == 1);
  CHECK(restored->set_aside[0].starts_with(kSecond + ": " + reason));
  CHECK(files.bytes_read() - before < 100'000);
}

TEST_CASE("a sound checkpoint that is larger than the limit is refused by its size, and left alone") {
  FaultyFileSystem files;
  CheckpointStore store(files, "/state", 2);
  (void)store.save(state_of(1), 10);
  const auto names = names_in(files);
  store.set_most_bytes(1000);
  const Error error = store.restore_newest().error();
  CHECK(error.code == ErrorCode::kTooLarge);
  CHECK(error.message.find("more than the 1000 that a state can have here") != std::string::npos);
  CHECK(store.load("/state/" + kFirst).error().code == ErrorCode::kTooLarge);
  CHECK(names_in(files) == names);
}

}  // namespace checkpoint_store_set_aside_test
