#include "checkpoint/checkpoint_store.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <stdlib.h>
#include <string>
#include <vector>

#include "checkpoint/checkpoint_store_test_support.h"

namespace checkpoint_store_test {

using namespace glimpse;
using namespace glimpse::checkpoint_store_test;

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

}  // namespace checkpoint_store_test
