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

namespace {

State named_state(const LearnerOptions& options, std::uint64_t part, const std::vector<std::string>& names) {
  AttributeNames of_all(options.dimension);
  REQUIRE(of_all.fix(names).has_value());
  return state_of(*learned_from(options, part + 3, part * 50, (part + 1) * 50), of_all, part);
}

}  // namespace

TEST_CASE("parts that fit no others are left out where they may be, and the rest is as without them") {
  const LearnerOptions options = merging_options("pairwise", 4, 2);
  const std::vector<std::string> usual{"a", "b", "c", "d"};
  const std::vector<std::string> other{"a", "b", "c", "x"};  // five names in all
  for (const std::size_t misfit : std::vector<std::size_t>{0, 1, 3, 4}) {
    CAPTURE(misfit);
    MergeTree tree(5);
    tree.leave_out_misfits();
    std::vector<State> states;
    for (std::size_t i = 0; i < 5; ++i)
      states.push_back(named_state(options, i, i == misfit ? other : usual));
    MergeTree without(5);
    for (std::size_t i = 5; i-- > 0;) {
      REQUIRE(tree.set(i, states[i]).has_value());
      if (i != misfit) REQUIRE(without.set(i, states[i]).has_value());
    }
    const auto folded = tree.fold();
    REQUIRE(folded.has_value());
    REQUIRE(tree.left_out().size() == 1);
    CHECK(tree.left_out().front().part == misfit);
    CHECK_FALSE(tree.left_out().front().why.message.empty());
    const auto expected = learner_of(*without.fold(), options);
    const auto learner = learner_of(*folded, options);
    CHECK(learner->counts().examples == 200);
    CHECK(expected->counts().examples == 200);
    // It fits again.
    REQUIRE(tree.set(misfit, named_state(options, misfit, usual)).has_value());
    const auto all = tree.fold();
    REQUIRE(all.has_value());
    CHECK(tree.left_out().empty());
    CHECK(learner_of(*all, options)->counts().examples == 250);
  }
}

TEST_CASE("of parts that fall into groups the largest is folded, and the first of equal ones") {
  const LearnerOptions options = merging_options("pairwise", 4, 2);
  const std::vector<std::vector<std::string>> names{{"a", "b", "c", "d"}, {"a", "b", "c", "x"}};
  for (const auto& [kinds, examples] : std::vector<std::pair<std::string, std::uint64_t>>{
           {"0110", 100}, {"0111", 150}, {"1000", 150}, {"01", 50}, {"01010", 150}}) {
    CAPTURE(kinds);
    MergeTree tree(kinds.size());
    tree.leave_out_misfits();
    for (std::size_t i = 0; i < kinds.size(); ++i)
      REQUIRE(tree.set(i, named_state(options, i, names[kinds[i] == '1'])).has_value());
    const auto folded = tree.fold();
    REQUIRE(folded.has_value());
    CHECK(learner_of(*folded, options)->counts().examples == examples);
    CHECK(tree.left_out().size() == kinds.size() - examples / 50);
  }
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
