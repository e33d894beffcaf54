// The numbers in checkpoints' names: compared, counted up, ended, and names that have none.

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "checkpoint/checkpoint_store_test_support.h"

namespace checkpoint_store_numbers_test {

using namespace glimpse;
using namespace glimpse::checkpoint_store_test;

TEST_CASE("the sequence is compared as a number, and the count of examples is not compared") {
  FaultyFileSystem files;
  files.put("/state/checkpoint-999999999999-7.safetensors", bytes_of(*encode_checkpoint(state_of(1))));
  files.put("/state/checkpoint-1000000000000-3.safetensors", bytes_of(*encode_checkpoint(state_of(2))));
  CHECK(number_after_restart(files) == 2);
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

}  // namespace checkpoint_store_numbers_test
