#include "merging/merging_test_support.h"

namespace merge_pairs_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

// Σ (x_i − a)(x_j − b) and its kin do not depend on the references that sums are about.
void check_moments(const State& a, const State& b, std::size_t d, double tolerance) {
  PairMoments first(d);
  PairMoments second(d);
  REQUIRE(first.restore(a).has_value());
  REQUIRE(second.restore(b).has_value());
  const auto near = [&](double x, double y, double scale) { return std::abs(x - y) <= tolerance * scale; };
  CHECK(first.label().weight == second.label().weight);
  CHECK(near(first.label().mean(), second.label().mean(), 10));
  for (std::size_t i = 0; i < d; ++i) {
    CHECK(first[i].weight() == second[i].weight());
    CHECK(near(first[i].mean(), second[i].mean(), 10));
    CHECK(near(first[i].variance(), second[i].variance(), 100));
    CHECK(first.largest(i) == second.largest(i));
    for (std::size_t j = i + 1; j < d; ++j) {
      CHECK(first.pair(i, j).weight == second.pair(i, j).weight);
      const double n = first.pair(i, j).weight;
      CHECK(near(first.co_moment(i, j, 1, 2), second.co_moment(i, j, 1, 2), 100 * n));
    }
  }
}

}  // namespace

TEST_CASE("two halves merged have the moments of one learner over all, where all attributes are seen") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    CAPTURE(std::string(algorithm));
    const LearnerOptions options = merging_options(algorithm, 6, 6);
    const auto whole = learned_from(options, 1, 0, 2000);
    const State first = state_of(*learned_from(options, 2, 0, 700));
    const State second = state_of(*learned_from(options, 3, 700, 2000));
    const State merged = folded({&first, &second});
    check_moments(merged, state_of(*whole), 6, 1e-12);
    const auto learner = learner_of(merged, options);
    CHECK(learner->counts().examples == 2000);
    CHECK(learner->counts().attributes_revealed == whole->counts().attributes_revealed);
    CHECK(learner->labels().min() == whole->labels().min());
    CHECK(learner->labels().max() == whole->labels().max());
    CHECK(learner->label_variance() == doctest::Approx(whole->label_variance()).epsilon(1e-12));
    CHECK(learner->progressive_loss().total().count == 2000);
    const Model a = model_of(*learner);
    const Model b = model_of(*whole);
    for (std::size_t i = 0; i < 6; ++i) CHECK(a.weights[i] == doctest::Approx(b.weights[i]).epsilon(1e-4));
    CHECK(loss_of(*learner) == doctest::Approx(loss_of(*whole)).epsilon(1e-3));
  }
}

TEST_CASE("parts that look at a few attributes know together what one learner with the same plans knows") {
  LearnerOptions options = merging_options("pairwise", 12, 3);
  options.looks = Looks::kUniform;  // so that plans go by random numbers alone
  const auto whole = make_learner(options).value();
  std::vector<State> states;
  for (std::uint64_t p = 0; p < 8; ++p) {
    learn_examples(*whole, p + 2, 1000 * p, 1000 * (p + 1));
    states.push_back(state_of(*learned_from(options, p + 2, 1000 * p, 1000 * (p + 1))));
  }
  std::vector<const State*> parts;
  for (const State& state : states) parts.push_back(&state);
  const State merged = folded(parts);
  check_moments(merged, state_of(*whole), 12, 1e-12);
  const auto learner = learner_of(merged, options);
  CHECK(loss_of(*learner) == doctest::Approx(loss_of(*whole)).epsilon(1e-3));
  CHECK(loss_of(*learner) < 0.5 * loss_of(*learned_from(options, 2, 0, 1000)));
}

TEST_CASE("a model of all judges at once after a merge, and the progressive losses are counted together") {
  const LearnerOptions options = merging_options("pairwise", 6, 3);
  const auto first = learned_from(options, 2, 0, 300);
  const auto second = learned_from(options, 3, 300, 500);
  const State a = state_of(*first);
  const State b = state_of(*second);
  const State merged = folded({&a, &b});
  const auto& one = first->progressive_loss().total();
  const auto& two = second->progressive_loss().total();
  const auto learner = learner_of(merged, options);
  CHECK(learner->progressive_loss().total().count == one.count + two.count);
  CHECK(learner->progressive_loss().total().sum() == doctest::Approx(one.sum() + two.sum()));
  CHECK(*merged.get_number<std::uint64_t>("past.0.examples") == 500);
  CHECK(merged.find("past.1.examples") == nullptr);
}

TEST_CASE("with a half-life each part's examples count what they count there") {
  LearnerOptions options = merging_options("pairwise", 6, 6);
  options.half_life = 100;
  const State a = state_of(*learned_from(options, 2, 0, 400));
  const State b = state_of(*learned_from(options, 3, 400, 900));
  const State merged = folded({&a, &b});
  PairMoments sums(6);
  REQUIRE(sums.restore(merged).has_value());
  const auto weight = [](double n) { return (1 - std::exp2(-n / 100)) / (1 - std::exp2(-0.01)); };
  CHECK(sums.label().weight == doctest::Approx(weight(400) + weight(500)).epsilon(1e-9));
}

TEST_CASE("active attributes of both are active, as far as there is room") {
  LearnerOptions options = merging_options("pairwise-screened", 40, 6);
  options.active = 8;
  const State a = state_of(*learned_from(options, 2, 0, 4000));
  const State b = state_of(*learned_from(options, 3, 4000, 8000));
  const State merged = folded({&a, &b});
  const auto active = merged.get<std::uint32_t>("screened.active");
  REQUIRE(active.has_value());
  CHECK(active->size() <= 8);
  CHECK(active->size() >= 2);
  const auto learner = learner_of(merged, options);
  learn_examples(*learner, 5, 8000, 9000);
  CHECK(learner->counts().examples == 9000);
}

TEST_CASE("several labels are merged together") {
  LearnerOptions options = merging_options("pairwise", 5, 5);
  options.labels = {"a", "b"};
  const auto learn = [&](std::uint64_t seed, std::uint64_t from, std::uint64_t to) {
    auto learner = make_learner(options).value();
    Random random(seed);
    Plan plan;
    for (std::uint64_t t = from; t < to; ++t) {
      const Example example = example_of(t, 5);
      learner->plan(random, plan);
      const double labels[] = {example.label, 100 - example.x[0]};
      REQUIRE(learner->learn(plan, example.x, labels, 1) == Outcome::kLearned);
    }
    return learner;
  };
  const auto whole = learn(1, 0, 900);
  const State a = state_of(*learn(1, 0, 400));
  const State b = state_of(*learn(2, 400, 900));
  const auto merged = learner_of(folded({&a, &b}), options);
  for (std::size_t l = 0; l < 2; ++l) {
    CAPTURE(l);
    const Model x = model_of(merged->of_label(l));
    const Model y = model_of(whole->of_label(l));
    for (std::size_t i = 0; i < 5; ++i) CHECK(x.weights[i] == doctest::Approx(y.weights[i]).epsilon(1e-3));
    CHECK(x.bias == doctest::Approx(y.bias).epsilon(1e-3));
  }
}

TEST_CASE("learners of other options are refused, and the sentence names both values") {
  const State five = state_of(*learned_from(merging_options("pairwise", 8, 5), 1, 0, 10));
  const State seven = state_of(*learned_from(merging_options("pairwise", 8, 7), 1, 10, 20));
  const Error error = error_of_fold({&five, &seven});
  CHECK(error.code == ErrorCode::kMismatch);
  CHECK(
      error.message ==
      "one learner was made with budget=5, the other with budget=7: only learners of the same options can be "
      "merged");
  LearnerOptions forgetful = merging_options("pairwise", 8, 5);
  forgetful.half_life = 1000;
  const State fading = state_of(*learned_from(forgetful, 1, 10, 20));
  CHECK(error_of_fold({&five, &fading}).message ==
        "one learner was made without half-life, the other with half-life=1000: only learners of the same "
        "options can be merged");
  LearnerOptions products = merging_options("pairwise", 8, 5);
  products.products = 2;
  const State with = state_of(*learned_from(products, 1, 10, 20));
  CHECK(error_of_fold({&with, &with}).code == ErrorCode::kUnavailable);
}

}  // namespace merge_pairs_test
