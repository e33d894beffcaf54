#include "checkpoint/checkpoint_folder.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "base/faulty_file_system_test_support.h"
#include "checkpoint/checkpoint_store.h"

namespace checkpoint_folder_test {

using namespace glimpse;

namespace {

State state_of(double value) {
  State state;
  state.begin();
  state.put_number("value", value);
  state.finish();
  return state;
}

std::vector<std::string> names_in(const CheckpointFolder& folder) {
  std::vector<std::string> names;
  const auto listed = folder.list();
  REQUIRE(listed.has_value());
  for (const auto& one : *listed) names.push_back(one.name);
  return names;
}

}  // namespace

TEST_CASE("names of checkpoints say their numbers, and give the same name again") {
  const CheckpointName name{12, 5000};
  CHECK(name.text() == "checkpoint-000000000012-5000.safetensors");
  CHECK(parse_checkpoint_name(name.text()) == name);
  const CheckpointName large{kLastCheckpointSequence, 0};
  CHECK(parse_checkpoint_name(large.text()) == large);
  CHECK(parse_checkpoint_name("checkpoint-9999999999999999999-1.safetensors")->sequence ==
        CheckpointName::kBeyond);
}

TEST_CASE("what is no checkpoint's name is none, whatever path it might be") {
  for (const char* text :
       {"", "checkpoint", "checkpoint-.safetensors", "checkpoint-000000000012-.safetensors",
        "checkpoint-12-5.safetensors", "checkpoint-0000000000012-5.safetensors", "newest",
        "../checkpoint-000000000012-5.safetensors", "a/checkpoint-000000000012-5.safetensors",
        "checkpoint-000000000012-5.safetensors/", "checkpoint-000000000012-5.safetensors.bad",
        "checkpoint-000000000012-../5.safetensors", ".checkpoint-000000000012-5.safetensors.tmp",
        "checkpoint-00000000001x-5.safetensors", "checkpoint-000000000012-5 .safetensors",
        "checkpoint-.safetensors-000000000012-5"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_checkpoint_name(text).has_value());
  }
}

TEST_CASE("a folder lists its checkpoints, the newest first, and nothing else") {
  FaultyFileSystem files;
  CheckpointStore store(files, "state", 5);
  for (const std::uint64_t examples : {10, 20, 30}) REQUIRE(store.save(state_of(1), examples).has_value());
  files.put("state/lock", {});
  files.put("state/checkpoint-000000000009-5.safetensors.bad", {});
  files.put_other("state/checkpoint-000000000008-5.safetensors", FileKind::kFifo);
  const CheckpointFolder folder(files, "state");
  CHECK(names_in(folder) == std::vector<std::string>{"checkpoint-000000000003-30.safetensors",
                                                     "checkpoint-000000000002-20.safetensors",
                                                     "checkpoint-000000000001-10.safetensors"});
  const auto listed = folder.list();
  CHECK(listed->front().parsed.examples == 30);
  CHECK(listed->front().bytes > 100);
}

TEST_CASE("a checkpoint is found by its examples as well, the newest of several") {
  FaultyFileSystem files;
  CheckpointStore store(files, "state", 5);
  for (const std::uint64_t examples : {10, 20, 10, 30})
    REQUIRE(store.save(state_of(1), examples).has_value());
  const CheckpointFolder folder(files, "state");
  CHECK(folder.find("20")->name == "checkpoint-000000000002-20.safetensors");
  CHECK(folder.find("10")->name == "checkpoint-000000000003-10.safetensors");
  CHECK(folder.find("0010")->name == "checkpoint-000000000003-10.safetensors");
  CHECK(folder.find("11").error().message == "no checkpoint of 11 examples is there");
  CHECK(folder.find("99999999999999999999999").error().code == ErrorCode::kNotFound);
  for (const char* text : {"", "-10", "10.0", "+10", " 10", "1e1"}) {
    CAPTURE(text);
    CHECK(folder.find(text).error().code == ErrorCode::kInvalidInput);
  }
}

TEST_CASE("a checkpoint is loaded by its name alone, as far as it is one") {
  FaultyFileSystem files;
  CheckpointStore store(files, "state", 5);
  const std::string name = store.save(state_of(7), 10)->name;
  files.put("checkpoint-000000000001-10.safetensors", {});
  const CheckpointFolder folder(files, "state");
  CHECK(folder.load(name, 1 << 20)->get_number<double>("value").value() == 7);
  CHECK(folder.load(name, 10).error().code == ErrorCode::kTooLarge);
  CHECK(folder.load("../" + name, 1 << 20).error().code == ErrorCode::kInvalidInput);
  CHECK(folder.load("checkpoint-9999999999999999999-1.safetensors", 1 << 20).error().code ==
        ErrorCode::kInvalidInput);
  CHECK(folder.load("checkpoint-000000000002-20.safetensors", 1 << 20).error().code == ErrorCode::kNotFound);
  files.put("state/checkpoint-000000000002-20.safetensors", std::vector<std::byte>(200));
  CHECK(folder.load("checkpoint-000000000002-20.safetensors", 1 << 20).error().code == ErrorCode::kCorrupt);
  files.put_other("state/checkpoint-000000000003-30.safetensors", FileKind::kLink);
  CHECK(folder.load("checkpoint-000000000003-30.safetensors", 1 << 20).error().code != ErrorCode::kNotFound);
}

}  // namespace checkpoint_folder_test
