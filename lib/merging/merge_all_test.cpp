#include <algorithm>

#include "merging/merging_test_support.h"

namespace merge_all_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr std::size_t kDimension = 6;

LearnerOptions options_of_all(const Algorithm& algorithm) {
  LearnerOptions options = merging_options(algorithm.name, kDimension, 4);
  if (algorithm.name == "aer") {
    options.step = StepKind::kNumber;
    options.step_number = 0.1;
  }
  return options;
}

// Those that are given moments begin with the true ones.
std::unique_ptr<Learner> learned(const LearnerOptions& options, std::uint64_t seed, std::uint64_t from,
                                 std::uint64_t to) {
  SecondMoments known(kDimension);
  for (std::size_t i = 0; i < kDimension; ++i)
    known.set(static_cast<Attribute>(i), {3, 12, SecondMoments::kCertain, 8});
  auto learner = make_learner(options, wants_moments(options.algorithm) ? &known : nullptr);
  REQUIRE_MESSAGE(learner.has_value(), (learner ? "" : learner.error().message));
  learn_examples(**learner, seed, from, to);
  return std::move(*learner);
}

bool merges(const Algorithm& algorithm) { return algorithm.name != "aer" && algorithm.name != "apple"; }
bool mixes(const Algorithm& algorithm) { return algorithm.family == AlgorithmFamily::kGradient; }

}  // namespace

TEST_CASE("every learner is merged and goes on, or says why it is not") {
  for (const Algorithm& algorithm : kAlgorithms) {
    CAPTURE(std::string(algorithm.name));
    const LearnerOptions options = options_of_all(algorithm);
    const State first = state_of(*learned(options, 2, 0, 900));
    const State second = state_of(*learned(options, 3, 900, 1500));
    if (!merges(algorithm)) {
      const Error error = error_of_fold({&first, &second});
      CHECK(error.code == ErrorCode::kUnavailable);
      CHECK(error.message.find(algorithm.name) != std::string::npos);
      continue;
    }
    auto part = MergePart::restore(folded({&first, &second}));
    REQUIRE_MESSAGE(part.has_value(), (part ? "" : part.error().message));
    CHECK(part->learner().counts().examples == 1500);
    auto again = MergePart::restore(folded({&first, &second}));
    State a;
    State b;
    part->save(a);
    again->save(b);
    check_same(a, b);
    CHECK(std::isfinite(loss_of(part->learner())));
  }
}

TEST_CASE("first-order learners get the mean of their models, by how much each has learned from") {
  for (const Algorithm& algorithm : kAlgorithms) {
    if (!mixes(algorithm)) continue;
    CAPTURE(std::string(algorithm.name));
    const LearnerOptions options = options_of_all(algorithm);
    const auto first = learned(options, 2, 0, 900);
    const auto second = learned(options, 3, 900, 1500);
    const State a = state_of(*first);
    const State b = state_of(*second);
    const auto merged = MergePart::restore(folded({&a, &b}));
    REQUIRE(merged.has_value());
    const Model x = model_of(*first);
    const Model y = model_of(*second);
    const Model z = model_of(merged->learner());
    for (std::size_t i = 0; i < kDimension; ++i)
      CHECK(z.weights[i] == doctest::Approx(0.6 * x.weights[i] + 0.4 * y.weights[i]).epsilon(1e-9));
    CHECK(z.bias == doctest::Approx(0.6 * x.bias + 0.4 * y.bias).epsilon(1e-9));
    if (algorithm.draws_by == DrawsBy::kKnownMoments) continue;  // they stay
    const Moment m = merged->learner().sampling_row(2).moment;
    const Moment p = first->sampling_row(2).moment;
    const Moment q = second->sampling_row(2).moment;
    CHECK(m.count == p.count + q.count);
    CHECK(m.mean * m.count == doctest::Approx(p.mean * p.count + q.mean * q.count));
    CHECK(m.second * m.count == doctest::Approx(p.second * p.count + q.second * q.count));
  }
}

TEST_CASE("a first-order learner learns on from the mean, with its past in the average") {
  LearnerOptions options = merging_options("online-ridge", kDimension, kDimension);
  const State a = state_of(*learned(options, 2, 0, 2000));
  const State b = state_of(*learned(options, 3, 2000, 4000));
  const auto merged = learner_of(folded({&a, &b}), options);
  const Model before = model_of(*merged);
  learn_examples(*merged, 4, 4000, 4001);
  const Model after = model_of(*merged);
  for (std::size_t i = 0; i < kDimension; ++i) CHECK(std::abs(after.weights[i] - before.weights[i]) < 0.01);
  const double loss = loss_of(*merged);
  learn_examples(*merged, 4, 4001, 12000);
  CHECK(loss_of(*merged) < loss);
}

}  // namespace merge_all_test
