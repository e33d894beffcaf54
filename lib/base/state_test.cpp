#include "base/state.h"

#include <doctest/doctest.h>
#include <string>
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

TEST_CASE("thousands of arrays are found by name, in whatever order they were put before") {
  constexpr std::size_t kArrays = 20'000;
  const auto name = [](std::size_t i) { return "label." + std::to_string(i) + ".sums"; };
  State state;
  state.begin();
  for (std::size_t i = 0; i < kArrays; ++i) state.put_number(name(i), static_cast<std::uint64_t>(i));
  state.finish();
  state.begin();
  for (std::size_t i = kArrays; i-- > 0;)
    if (i % 3 != 0) state.put_number(name(i), static_cast<std::uint64_t>(2 * i));
  state.put_number("new", std::uint64_t{1});
  state.finish();
  REQUIRE(state.tensors().size() == kArrays - (kArrays + 2) / 3 + 1);
  CHECK(state.tensors().front().name == name(kArrays - 1));
  for (std::size_t i = 0; i < kArrays; ++i) {
    if (i % 3 == 0)
      REQUIRE(state.find(name(i)) == nullptr);
    else
      REQUIRE(*state.get_number<std::uint64_t>(name(i)) == 2 * i);
  }
  CHECK(*state.get_number<std::uint64_t>("new") == 1);
}

}  // namespace state_test
