#include "merging/merge_part.h"
#include "merging/merging_test_support.h"

namespace read_inputs_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

// A state that read `records` of a source and `bytes` of a file, where these are not 0.
State state_of_inputs(const std::string& source, std::uint64_t records, const std::string& file,
                      std::uint64_t bytes) {
  State state;
  state.begin();
  const auto put = [&](const char* name, const std::string& text) {
    const auto room = state.put<std::uint8_t>(name, text.size());
    std::copy(text.begin(), text.end(), room.begin());
  };
  put("sources.names", source);
  put("sources.openings", "x,y");
  state.put_copy<std::uint64_t>("sources.progress", std::vector<std::uint64_t>{source.size(), records, 1, 1});
  state.put_copy<std::uint64_t>("sources.opening_lengths", std::vector<std::uint64_t>{3});
  put("inputs.names", file);
  state.put_copy<std::uint64_t>("inputs.progress", std::vector<std::uint64_t>{file.size(), bytes, 9});
  state.put_copy<std::uint64_t>("inputs.fingerprints", std::vector<std::uint64_t>{bytes + 1});
  put("inputs.schemas", TableSchema().describe() + '\0');
  state.finish();
  return state;
}

State saved_inputs(const ReadInputs& inputs) {
  State state;
  state.begin();
  inputs.save(state);
  state.finish();
  return state;
}

}  // namespace

TEST_CASE("what was read comes back as it was saved, and that of two is that of both") {
  const State state = state_of_inputs("north", 5, "/a.csv", 100);
  auto inputs = ReadInputs::of(state);
  REQUIRE(inputs.has_value());
  check_same(state, saved_inputs(*inputs));
  const auto other = ReadInputs::of(state_of_inputs("south", 7, "/b.csv", 200));
  REQUIRE(inputs->merge(*other, false).has_value());
  const auto again = ReadInputs::of(saved_inputs(*inputs));
  REQUIRE(again.has_value());
  CHECK(again->names() == std::vector<std::string>{"north", "south", "/a.csv", "/b.csv"});
}

TEST_CASE("two that merge each other: the second one has its own examples inside, and is refused") {
  const auto learner = [](std::uint64_t name) {
    State state;
    state.begin();
    state.put_copy<std::uint64_t>("inputs.learners", std::vector<std::uint64_t>{name});
    state.finish();
    return ReadInputs::of(state).value();
  };
  ReadInputs north = learner(1);
  ReadInputs south = learner(2);
  REQUIRE(south.merge(north, false).has_value());
  const ReadInputs told = ReadInputs::of(saved_inputs(south)).value();  // as a checkpoint has it
  const Status twice = north.merge(told, false);
  REQUIRE_FALSE(twice.has_value());
  CHECK(twice.error().code == ErrorCode::kMismatch);
  CHECK(twice.error().message.find("what learner 0000000000000001 has learned") != std::string::npos);
  CHECK(north.merge(told, true).has_value());
  CHECK_FALSE(learner(2).merge(north, false).has_value());
  CHECK(learner(3).merge(north, false).has_value());
}

TEST_CASE("examples that both have are refused by the name of what they came from") {
  auto inputs = ReadInputs::of(state_of_inputs("north", 5, "/a.csv", 100)).value();
  const auto same_source = ReadInputs::of(state_of_inputs("north", 9, "/b.csv", 100)).value();
  const Status source = inputs.merge(same_source, false);
  REQUIRE_FALSE(source.has_value());
  CHECK(source.error().message ==
        "both have learned from the source 'north': merging would count its examples twice");
  const Status file = inputs.merge(ReadInputs::of(state_of_inputs("south", 9, "/a.csv", 7)).value(), false);
  REQUIRE_FALSE(file.has_value());
  CHECK(file.error().message ==
        "both have learned from the file '/a.csv': merging would count its examples twice");
  // Nothing was read of it there.
  CHECK(inputs.merge(ReadInputs::of(state_of_inputs("north", 0, "/a.csv", 0)).value(), false).has_value());
  REQUIRE(inputs.merge(same_source, true).has_value());
  CHECK((*saved_inputs(inputs).get<std::uint64_t>("sources.progress"))[1] == 9);  // the further one
}

TEST_CASE("a checkpoint is merged once, also where it is inside another one") {
  ReadInputs inputs;
  REQUIRE(inputs.add_checkpoint(17).has_value());
  CHECK_FALSE(inputs.add_checkpoint(17).has_value());
  ReadInputs other;
  REQUIRE(other.add_checkpoint(23).has_value());
  REQUIRE(other.merge(inputs, false).has_value());
  CHECK(other.checkpoints() == std::vector<std::uint64_t>{23, 17});
  CHECK_FALSE(inputs.merge(other, false).has_value());
  CHECK(inputs.checkpoints() == std::vector<std::uint64_t>{17});
  CHECK(ReadInputs::of(saved_inputs(other))->checkpoints() == other.checkpoints());
}

TEST_CASE("names and lengths that do not fit are refused") {
  for (const char* name : {"inputs.names", "sources.names", "sources.openings"}) {
    CAPTURE(std::string(name));
    const State sound = state_of_inputs("north", 5, "/a.csv", 100);
    State damaged;
    damaged.begin();
    for (const Tensor& tensor : sound.tensors())
      if (tensor.name != name) damaged.put_again(tensor.name, tensor);
    damaged.put<std::uint8_t>(name, 1)[0] = 'x';
    damaged.finish();
    CHECK(ReadInputs::of(damaged).error().code == ErrorCode::kCorrupt);
  }
}

}  // namespace read_inputs_test
