#include "merging/merge_tree.h"

#include "merging/merging_test_support.h"

namespace merge_tree_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

std::vector<State> parts_of(const LearnerOptions& options, std::size_t count, std::uint64_t examples) {
  std::vector<State> states;
  for (std::uint64_t p = 0; p < count; ++p)
    states.push_back(state_of(*learned_from(options, p + 3, p * examples, (p + 1) * examples), p));
  return states;
}

std::vector<const State*> all_of(const std::vector<State>& states) {
  std::vector<const State*> all;
  for (const State& state : states) all.push_back(&state);
  return all;
}

}  // namespace

TEST_CASE("what is folded is the same to the bit in whatever order parts came, and whichever came again") {
  const LearnerOptions options = merging_options("pairwise", 8, 3);
  for (const std::size_t count : std::vector<std::size_t>{2, 3, 5, 8}) {
    CAPTURE(count);
    const std::vector<State> states = parts_of(options, count, 50);
    const State expected = folded(all_of(states));
    MergeTree tree(count);
    for (std::size_t i = count; i-- > 0;) {
      REQUIRE(tree.set(i, states[(i + 1) % count]).has_value());  // not yet what it will be
      REQUIRE(tree.fold().has_value());
    }
    for (std::size_t i = 0; i < count; ++i)
      REQUIRE(tree.set((3 * i) % count, states[(3 * i) % count]).has_value());
    for (std::size_t i = 0; i < count; ++i) REQUIRE(tree.set(i, states[i]).has_value());
    const auto state = tree.fold();
    REQUIRE(state.has_value());
    check_same(expected, *state);
  }
}

TEST_CASE("parts are merged two by two: of eight the first four and the last four can be merged before") {
  const LearnerOptions options = merging_options("pairwise", 8, 3);
  const std::vector<State> states = parts_of(options, 8, 40);
  const auto half = [&](std::size_t from) {
    MergeTree tree(4);
    for (std::size_t i = 0; i < 4; ++i) REQUIRE(tree.set(i, states[from + i]).has_value());
    const auto merged = tree.merged();
    REQUIRE(merged.has_value());
    State state;
    (*merged)->save(state);
    return state;
  };
  const State first = half(0);
  const State second = half(4);
  check_same(folded(all_of(states)), folded({&first, &second}));
}

TEST_CASE("a part that is not there counts as if it had never been, and one part is itself") {
  const LearnerOptions options = merging_options("pairwise", 8, 3);
  const std::vector<State> states = parts_of(options, 3, 50);
  MergeTree tree(4);
  CHECK(tree.fold().error().code == ErrorCode::kUnavailable);
  REQUIRE(tree.set(2, states[2]).has_value());
  const auto one = tree.fold();
  REQUIRE(one.has_value());
  CHECK(one->find("pairs.sums")->bytes == states[2].find("pairs.sums")->bytes);
  CHECK(one->find("random")->bytes == states[2].find("random")->bytes);
  REQUIRE(tree.set(0, states[0]).has_value());
  REQUIRE(tree.set(3, states[1]).has_value());
  tree.clear(3);
  const auto two = tree.fold();
  REQUIRE(two.has_value());
  check_same(folded({&states[0], &states[2]}), *two);
}

TEST_CASE("a merged learner goes on: the same from the same state, and never as its parts do") {
  const LearnerOptions options = merging_options("pairwise", 8, 3);
  const std::vector<State> states = parts_of(options, 2, 200);
  const State merged = folded(all_of(states));
  const auto words = merged.get<std::uint64_t>("random", 4);
  REQUIRE(words.has_value());
  for (const State& state : states) CHECK(state.find("random")->bytes != merged.find("random")->bytes);
  const auto a = learner_of(merged, options);
  const auto b = learner_of(merged, options);
  CHECK(a->counts().examples == 400);
  const double before = loss_of(*a);
  learn_examples(*a, 7, 400, 3000);
  learn_examples(*b, 7, 400, 3000);
  check_same(state_of(*a), state_of(*b));
  CHECK(loss_of(*a) < before);
}

}  // namespace merge_tree_test
