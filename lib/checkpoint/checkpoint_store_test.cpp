#include "checkpoint/checkpoint_store.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <stdlib.h>
#include <string>
#include <string_view>
#include <vector>

#include "base/faulty_file_system.h"
#include "checkpoint/checkpoint.h"

using namespace glimpse;
using FailedAppend = FaultyFileSystem::FailedAppend;
using Tail = FaultyFileSystem::Tail;

namespace {

/// A state that is told from others by `number`, in every one of its parts.
State state_of(std::uint64_t number) {
  State state;
  state.begin();
  state.put_number("number", number);
  for (double& weight : state.put<double>("weights", 1000)) weight = static_cast<double>(number);
  state.put<std::uint8_t>("bytes", 100)[99] = static_cast<std::uint8_t>(number);
  state.put_text("text", std::to_string(number));
  state.finish();
  return state;
}

/// The number of a state that is whole; fails the test for any other.
std::uint64_t number_in(const State& state) {
  const auto number = state.get_number<std::uint64_t>("number").value();
  for (const double weight : state.get<double>("weights", 1000).value())
    REQUIRE(weight == static_cast<double>(number));
  REQUIRE(state.get<std::uint8_t>("bytes", 100)->back() == number);
  REQUIRE(state.get_text("text").value() == std::to_string(number));
  return number;
}

/// What a restart finds: the number of the restored state, 0 when there is none.
std::uint64_t number_after_restart(FaultyFileSystem& files) {
  auto restored = CheckpointStore(files, "/state", 2).restore_newest();
  REQUIRE_MESSAGE(restored.has_value(), (restored ? "" : restored.error().message));
  return restored->state ? number_in(restored->state.value()) : 0;
}

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// Flips a bit in the middle of a file, durably.
void spoil(FaultyFileSystem& files, const std::string& path) {
  auto bytes = files.read(path).value();
  bytes[bytes.size() / 2] ^= std::byte{4};
  files.put(path, bytes);
}

std::vector<std::string> names_in(FaultyFileSystem& files) { return files.list("/state").value(); }

const std::string kFirst = "checkpoint-000000000001-10.safetensors";
const std::string kSecond = "checkpoint-000000000002-20.safetensors";
const std::string kThird = "checkpoint-000000000003-30.safetensors";

}  // namespace

TEST_CASE("an empty folder, or none, has nothing to restore") {
  FaultyFileSystem files;
  auto restored = CheckpointStore(files, "/state/deep", 3).restore_newest();
  REQUIRE(restored.has_value());
  CHECK(!restored->state);
  CHECK(restored->name.empty());
  CHECK(restored->set_aside.empty());
}

TEST_CASE("the lock of the daemon is left alone, and makes no folder look used") {
  FaultyFileSystem files;
  files.put("/state/lock", {});
  CheckpointStore store(files, "/state", 1);
  CHECK(!store.restore_newest()->state);
  REQUIRE(store.save(state_of(1), 10).has_value());
  REQUIRE(store.save(state_of(2), 20).has_value());
  CHECK(names_in(files) == std::vector<std::string>{kSecond, "lock"});
  CHECK(number_after_restart(files) == 2);
}

TEST_CASE("the newest keep checkpoints stay, under names that count up, and the newest is restored") {
  FaultyFileSystem files;
  CheckpointStore store(files, "/state", 2);
  CHECK(store.save(state_of(1), 10)->name == kFirst);
  CHECK(store.save(state_of(2), 20)->name == kSecond);
  CHECK(store.save(state_of(3), 30)->name == kThird);
  CHECK(names_in(files) == std::vector{kSecond, kThird});

  CheckpointStore restarted(files, "/state", 2);
  const auto restored = restarted.restore_newest();
  REQUIRE(restored.has_value());
  CHECK(number_in(restored->state.value()) == 3);
  CHECK(restored->name == kThird);
  CHECK(restarted.save(state_of(4), 40)->name == "checkpoint-000000000004-40.safetensors");
}

TEST_CASE("saving without restoring first still comes after what is there") {
  FaultyFileSystem files;
  (void)CheckpointStore(files, "/state", 2).save(state_of(1), 10);
  CHECK(CheckpointStore(files, "/state", 2).save(state_of(2), 20)->name == kSecond);
}

TEST_CASE("the sequence is compared as a number, and the count of examples is not compared") {
  FaultyFileSystem files;
  files.put("/state/checkpoint-999999999999-7.safetensors", bytes_of(*encode_checkpoint(state_of(1))));
  files.put("/state/checkpoint-1000000000000-3.safetensors", bytes_of(*encode_checkpoint(state_of(2))));
  CHECK(number_after_restart(files) == 2);
}

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

TEST_CASE("what is left over from writing is removed, and other files are left alone") {
  FaultyFileSystem files;
  const std::vector<std::string> others{".keep.tmp", "checkpoint-1-10.safetensors",
                                        "checkpoint-000000000009-x.safetensors", "notes.txt",
                                        kThird + ".bad"};
  for (const auto& name : others) files.put("/state/" + name, bytes_of("x"));
  files.put("/state/." + kSecond + ".tmp", bytes_of("half"));
  CHECK(number_after_restart(files) == 0);
  auto expected = others;
  std::ranges::sort(expected);
  CHECK(names_in(files) == expected);
  CHECK(CheckpointStore(files, "/state", 1).save(state_of(1), 10)->name == kFirst);
}

TEST_CASE("a named file is loaded, and its errors name it") {
  FaultyFileSystem files;
  CheckpointStore store(files, "/state", 3);
  files.put("/elsewhere/mine", bytes_of(*encode_checkpoint(state_of(5))));
  files.put("/elsewhere/other", bytes_of("text"));
  CHECK(number_in(store.load("/elsewhere/mine").value()) == 5);
  CHECK(store.load("/elsewhere/none").error().code == ErrorCode::kNotFound);
  CHECK(store.load("/elsewhere/other").error().message ==
        "/elsewhere/other: not a glimpse checkpoint: it does not begin like one");
}

TEST_CASE("a real folder works like the one in memory") {
  auto folder = (std::filesystem::temp_directory_path() / "glimpse-store-XXXXXX").string();
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  PosixFileSystem files;
  CheckpointStore store(files, folder + "/a/b", 1);
  CHECK(store.save(state_of(1), 10).has_value());
  CHECK(store.save(state_of(2), 20)->name == kSecond);
  const auto restored = CheckpointStore(files, folder + "/a/b", 1).restore_newest();
  REQUIRE(restored.has_value());
  CHECK(number_in(restored->state.value()) == 2);
  CHECK(restored->warnings.empty());
  CHECK(files.list(folder + "/a/b").value() == std::vector{kSecond});
  std::filesystem::remove_all(folder);
}

TEST_CASE("an older checkpoint that cannot be removed is a warning, not a failure") {
  FaultyFileSystem files;
  CheckpointStore store(files, "/state", 1);
  (void)store.save(state_of(1), 10);
  const auto before = files.operations();
  (void)store.save(state_of(2), 20);
  files.fail_at(files.operations() - before);  // the last operation of a save is the removal
  const auto saved = store.save(state_of(3), 30);
  REQUIRE(saved.has_value());
  CHECK(saved->warnings ==
        std::vector<std::string>{"cannot remove /state/" + kSecond + ": Input/output error"});
  CHECK(number_after_restart(files) == 3);
}

TEST_CASE("when only the fsync of the folder fails, the message does not claim more than is known") {
  FaultyFileSystem files;
  CheckpointStore store(files, "/state", 1);
  (void)store.save(state_of(1), 10);
  const auto before = files.operations();
  (void)store.save(state_of(2), 20);
  files.fail_at(files.operations() - before - 1);
  const auto saved = store.save(state_of(3), 30);
  REQUIRE(!saved.has_value());
  CHECK(saved.error().message == "/state/" + kThird +
                                     " is written, but it is unknown whether it survives a crash: " +
                                     "cannot fsync folder /state: Input/output error");
  CHECK(names_in(files) == std::vector{kSecond, kThird});
}

TEST_CASE("a state that cannot be written leaves nothing behind") {
  FaultyFileSystem files;
  CheckpointStore store(files, "/state", 2);
  (void)store.save(state_of(1), 10);
  State bad = state_of(2);
  bad.put_text("not UTF-8", "\xff");
  CHECK(store.save(bad, 20).error().code == ErrorCode::kInvalidInput);
  CHECK(names_in(files) == std::vector{kFirst});
}

TEST_CASE("whichever operation of a save fails, previous checkpoints stay, and a crash then loses nothing") {
  for (const auto left : {FailedAppend::kNothing, FailedAppend::kHalf}) {
    for (const bool names_survive : {false, true}) {
      for (const auto tail : {Tail::kLost, Tail::kGarbage, Tail::kKept}) {
        bool failed = true;
        for (std::uint64_t n = 1; failed; ++n) {
          FaultyFileSystem files;
          CheckpointStore store(files, "/state", 1);
          REQUIRE(store.save(state_of(1), 10).has_value());
          const auto before = files.operations();
          files.fail_at(n, left);
          const auto saved = store.save(state_of(2), 20);
          failed = files.operations() - before >= n;  // else the save had fewer than n operations
          for (const auto& name : names_in(files)) REQUIRE(!name.ends_with(".tmp"));

          files.crash(names_survive, tail);
          const auto number = number_after_restart(files);
          if (saved)
            CHECK(number == 2);
          else
            CHECK((number == 1 || number == 2));
        }
      }
    }
  }
}

TEST_CASE("after a save that failed at any operation the same store saves the next one") {
  for (std::uint64_t n = 1; n < 10; ++n) {
    FaultyFileSystem files;
    CheckpointStore store(files, "/state", 1);
    REQUIRE(store.save(state_of(1), 10).has_value());
    files.fail_at(n);
    (void)store.save(state_of(2), 20);
    files.fail_at(1000);
    REQUIRE(store.save(state_of(3), 30).has_value());
    CHECK(names_in(files) == std::vector{kThird});
    files.crash(false, Tail::kLost);
    CHECK(number_after_restart(files) == 3);
  }
}

TEST_CASE("whenever the power goes during a save, a restart finds the previous or the new state, entire") {
  bool old_seen = false;
  bool new_seen = false;
  for (const auto left : {FailedAppend::kNothing, FailedAppend::kHalf}) {
    for (const bool names_survive : {false, true}) {
      for (const auto tail : {Tail::kLost, Tail::kGarbage, Tail::kKept}) {
        for (std::uint64_t n = 1;; ++n) {
          FaultyFileSystem files;
          CheckpointStore store(files, "/state", 1);
          REQUIRE(store.save(state_of(1), 10).has_value());
          const auto before = files.operations();
          files.lose_power_at(n, left);
          const auto saved = store.save(state_of(2), 20);
          const bool power_went = files.operations() - before >= n;
          files.crash(names_survive, tail);
          const auto number = number_after_restart(files);
          if (saved)
            CHECK(number == 2);
          else
            CHECK((number == 1 || number == 2));
          (number == 1 ? old_seen : new_seen) = true;

          // What was restored stays restored, and the next save works.
          files.crash(false, Tail::kLost);
          CHECK(number_after_restart(files) == number);
          REQUIRE(CheckpointStore(files, "/state", 1).save(state_of(3), 30).has_value());
          files.crash(names_survive, tail);
          CHECK(number_after_restart(files) == 3);
          if (!power_went) break;
        }
      }
    }
  }
  CHECK(old_seen);
  CHECK(new_seen);
}

TEST_CASE("what a killed process had renamed and not synced is durable once it was restored") {
  FaultyFileSystem files;
  CheckpointStore store(files, "/state", 2);
  REQUIRE(store.save(state_of(1), 10).has_value());
  const auto before = files.operations();
  REQUIRE(store.save(state_of(2), 20).has_value());
  files.fail_at(files.operations() - before);  // the last operation, here without a removal
  REQUIRE(!store.save(state_of(3), 30).has_value());
  CHECK(number_after_restart(files) == 3);
  files.crash(false, Tail::kLost);
  CHECK(number_after_restart(files) == 3);
}

TEST_CASE("whatever fails while a bad checkpoint is set aside, the good one is restored then and later") {
  for (std::uint64_t n = 1; n < 5; ++n) {
    for (const bool power : {false, true}) {
      FaultyFileSystem files;
      CheckpointStore store(files, "/state", 3);
      (void)store.save(state_of(1), 10);
      (void)store.save(state_of(2), 20);
      spoil(files, "/state/" + kSecond);
      if (power)
        files.lose_power_at(n);
      else
        files.fail_at(n);
      const auto restored = CheckpointStore(files, "/state", 3).restore_newest();
      REQUIRE(restored.has_value());
      CHECK(number_in(restored->state.value()) == 1);
      CHECK(restored->set_aside.size() == 1);
      CHECK(restored->warnings.empty() == (n > 2 || (n == 1 && !power)));
      files.crash(false, Tail::kLost);
      CHECK(number_after_restart(files) == 1);
    }
  }
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

TEST_CASE("a number at which counting would end does not wrap: it is refused and set aside, sound or not") {
  const auto sound = bytes_of(*encode_checkpoint(state_of(9)));
  for (const char* const number :
       {"18446744073709551615", "18446744073709551614", "9223372036854775807", "1000000000000000001",
        "18446744073709551616", "99999999999999999999999999999999999999"}) {
    CAPTURE(number);
    const std::string name = std::string("checkpoint-") + number + "-5.safetensors";
    FaultyFileSystem files;
    CheckpointStore store(files, "/state", 2);
    (void)store.save(state_of(1), 10);
    files.put("/state/" + name, sound);
    SUBCASE("planted before a start") {
      CheckpointStore again(files, "/state", 2);
      const auto restored = again.restore_newest();
      REQUIRE(restored.has_value());
      CHECK(number_in(restored->state.value()) == 1);
      REQUIRE(restored->set_aside.size() == 1);
      CHECK(restored->set_aside[0].starts_with(name + ": its number is above 1000000000000000000"));
      CHECK(again.save(state_of(2), 20)->name == kSecond);
    }
    SUBCASE("planted while running") {
      CHECK(store.save(state_of(2), 20)->name == kSecond);
      CHECK(store.save(state_of(3), 30)->name == kThird);
      CHECK(number_after_restart(files) == 3);
    }
  }
}

TEST_CASE("behind the last number nothing is saved, and nothing durable is lost") {
  const std::string last = "checkpoint-1000000000000000000-5.safetensors";
  FaultyFileSystem files;
  CheckpointStore store(files, "/state", 2);
  (void)store.save(state_of(1), 10);
  SUBCASE("a damaged one of that number gives it back") {
    files.put("/state/" + last, bytes_of("spoiled"));
    CheckpointStore again(files, "/state", 2);
    CHECK(number_in(again.restore_newest()->state.value()) == 1);
    CHECK(again.save(state_of(2), 20)->name == kSecond);
  }
  SUBCASE("a sound one is restored, and stays") {
    files.put("/state/" + last, bytes_of(*encode_checkpoint(state_of(9))));
    CheckpointStore again(files, "/state", 2);
    CHECK(number_in(again.restore_newest()->state.value()) == 9);
    const auto saved = again.save(state_of(2), 20);
    REQUIRE(!saved.has_value());
    CHECK(saved.error().message.starts_with("/state holds a checkpoint numbered 1000000000000000000"));
    CHECK(number_after_restart(files) == 9);
  }
}

TEST_CASE("a name with zeros too many, or with other characters, is nobody's and left alone") {
  FaultyFileSystem files;
  CheckpointStore store(files, "/state", 2);
  (void)store.save(state_of(1), 10);
  const std::vector<std::string> names = {
      "checkpoint-00000000000000000009-5.safetensors", "checkpoint-+00000000009-5.safetensors",
      "checkpoint-00000000009-5.safetensors", "checkpoint-000000000009-.safetensors",
      "checkpoint-000000000009--5.safetensors"};
  for (const auto& name : names) files.put("/state/" + name, bytes_of(*encode_checkpoint(state_of(9))));
  CHECK(number_after_restart(files) == 1);
  CHECK(store.save(state_of(2), 20)->name == kSecond);
  for (const auto& name : names) CHECK(std::ranges::count(names_in(files), name) == 1);
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
