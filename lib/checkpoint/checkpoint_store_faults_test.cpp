// What a save and a restart leave when an operation of the disk fails, or the power goes at it.

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "checkpoint/checkpoint_store_test_support.h"

namespace checkpoint_store_faults_test {

using namespace glimpse;
using namespace glimpse::checkpoint_store_test;
using FailedAppend = FaultyFileSystem::FailedAppend;
using Tail = FaultyFileSystem::Tail;

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

}  // namespace checkpoint_store_faults_test
