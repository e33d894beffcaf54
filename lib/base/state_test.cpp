#include "base/state.h"

#include <doctest/doctest.h>
#include <vector>

namespace state_test {

using glimpse::State;

TEST_CASE("what was put is got back, and the wrong type, length or name is an error that says so") {
  State state;
  state.begin();
  const std::vector<double> weights{1, 2, 3};
  state.put_copy<double>("weights", weights);
  state.put_number("examples", std::uint64_t{7});
  state.put_text("algorithm", "aerr");
  state.finish();

  CHECK(state.get<double>("weights", 3)->back() == 3);
  CHECK(*state.get_number<std::uint64_t>("examples") == 7);
  CHECK(*state.get_text("algorithm") == "aerr");
  CHECK(state.get<double>("weights", 4).error().message == "the array 'weights' has 3 elements, not 4");
  CHECK(state.get<float>("weights", 3).error().message == "the array 'weights' has another element type");
  CHECK(state.get<float>("bias", 1).error().message == "the state has no array 'bias'");
  CHECK(state.get_text("nothing").error().code == glimpse::ErrorCode::kCorrupt);
}

TEST_CASE("a second writing replaces the first and reuses its memory") {
  State state;
  state.begin();
  state.put<double>("a", 1000)[0] = 1;
  state.put<double>("b", 10)[0] = 2;
  state.finish();
  const auto* memory = state.find("b")->bytes.data();

  state.begin();
  state.put<double>("b", 10)[0] = 3;
  state.finish();
  CHECK(state.tensors().size() == 1);
  CHECK(state.find("a") == nullptr);
  CHECK(state.find("b")->bytes.data() == memory);
  CHECK(state.get<double>("b", 10)->front() == 3);
}

}  // namespace state_test
