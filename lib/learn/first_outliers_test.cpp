#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <string>
#include <vector>

#include "learn/factory.h"
#include "learn/learner_test_support.h"

namespace first_outliers_test {

// An outlier among the first numbers is learned from until the others tell, and then it must cost nothing but
// itself.

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr std::size_t kDimension = 4;
constexpr double kOutliers[] = {-9999, 99999, -1e6, 1e9, 1e30};

struct Generator {
  const char* name;
  std::function<double(Random&)> value;
};

double normal(Random& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(2 * M_PI * random.uniform());
}

const Generator kGenerators[] = {
    {"uniform", [](Random& r) { return 2 * r.uniform() - 1; }},
    {"normal", normal},
    {"exponential", [](Random& r) { return -std::log(1 - r.uniform()); }},
    {"years", [](Random& r) { return 2000 + std::floor(20 * r.uniform()); }},
    {"mostly zero", [](Random& r) { return r.uniform() < 0.6 ? 0 : 1 + r.uniform(); }},
};

LearnerOptions options_for(const std::string& algorithm, std::size_t budget) {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = kDimension;
  options.budget = budget;
  if (has_l1_ball(algorithm)) options.radius = 3;
  if (algorithm == "aer") {
    options.step = StepKind::kNumber;
    options.step_number = 0.1;
  }
  if (screens(algorithm)) options.active = 3;
  return options;
}

struct Run {
  std::unique_ptr<Learner> learner;
  std::vector<std::size_t> learned = std::vector<std::size_t>(kDimension);  // values of each attribute
};

// `outlier`: the first value that is seen of attribute 1, or the first label; NaN: there is none.
Run run(const LearnerOptions& options, const Generator& generator, std::size_t examples, double outlier,
        bool is_label) {
  const SecondMoments known = known_moments(std::vector<double>(kDimension, 1e6));
  Run run{make_learner(options, wants_moments(options.algorithm) ? &known : nullptr).value()};
  Random numbers(3);
  Random draws(4);
  Plan plan;
  bool is_over = std::isnan(outlier);
  for (std::size_t t = 0; t < examples; ++t) {
    std::vector<double> x(kDimension);
    for (double& value : x) value = generator.value(numbers);
    double label = x[0] - x[2] + 0.1 * normal(numbers);
    run.learner->plan(draws, plan);
    if (run.learner->learns_from_entries()) plan.attributes = {0, 1, 2, 3};
    std::vector<double> values = reveal(plan, x);
    for (const Attribute i : plan.attributes) ++run.learned[i];
    const auto at = std::ranges::find(plan.attributes, 1U) - plan.attributes.begin();
    if (!is_over && (is_label || at < std::ssize(values))) {
      is_over = true;
      if (is_label)
        for (const Attribute i : plan.attributes) --run.learned[i];
      else if (run.learner->learns_from_partial() && options.budget < kDimension)
        --run.learned[1];  // elsewhere the mean takes its place
      (is_label ? label : values[static_cast<std::size_t>(at)]) = outlier;
    }
    run.learner->learn(plan, values, label, 1);
    if (t == examples / 2 && t < 60) {  // a restart changes nothing
      auto again = make_learner(options, wants_moments(options.algorithm) ? &known : nullptr).value();
      REQUIRE(again->restore(saved(*run.learner)).has_value());
      run.learner = std::move(again);
    }
  }
  return run;
}

}  // namespace

TEST_CASE("a first value or label that is an outlier costs no other number and is counted, in all learners") {
  for (const Algorithm& algorithm : kAlgorithms)
    for (const std::size_t budget : {std::size_t{2}, kDimension})
      for (const Generator& generator : kGenerators)
        for (const double outlier : kOutliers)
          for (const bool is_label : {false, true}) {
            const LearnerOptions options = options_for(std::string(algorithm.name), budget);
            const std::size_t examples = budget == 2 ? 200 : 60;
            const Run spoiled = run(options, generator, examples, outlier, is_label);
            const Learner& learner = *spoiled.learner;
            INFO(algorithm.name, " ", budget, " ", std::string(generator.name), " ", outlier, " ", is_label);
            const LearnerCounts& counts = learner.counts();
            CHECK(counts.bounded_values >= (is_label ? 0 : 1));  // honest tails are cut now and then
            CHECK(counts.bounded_labels == (is_label ? 1 : 0));
            CHECK(counts.left_out == (is_label ? 1 : 0));
            CHECK(counts.examples == examples - counts.left_out);
            // Zeros do not count where examples have entries, nor do given moments.
            if (learner.learns_from_entries() || wants_moments(algorithm.name)) continue;
            for (Attribute i = 0; i < kDimension; ++i)
              CHECK(learner.sampling_row(i).moment.count == spoiled.learned[i]);
          }
}

TEST_CASE("plans that were drawn before an outlier was found out are learned from, in all learners") {
  for (const Algorithm& algorithm : kAlgorithms) {
    const LearnerOptions options = options_for(std::string(algorithm.name), 2);
    const SecondMoments known = known_moments(std::vector<double>(kDimension, 1));
    const auto learner = make_learner(options, wants_moments(options.algorithm) ? &known : nullptr).value();
    if (learner->learns_from_entries()) continue;  // it draws none
    Random numbers(3);
    Random draws(4);
    std::vector<Plan> open(5);
    for (Plan& plan : open) learner->plan(draws, plan);
    Plan plan;
    for (int t = 0; t < 60; ++t) {
      learner->plan(draws, plan);
      learner->learn(plan, std::vector<double>(plan.attributes.size(), normal(numbers)),
                     t == 0 ? -99999 : normal(numbers), 1);
    }
    INFO(algorithm.name);
    CHECK(learner->counts().left_out == 1);
    for (const Plan& earlier : open)
      CHECK(learner->learn(earlier, std::vector<double>(earlier.attributes.size(), normal(numbers)), 1, 1) ==
            Outcome::kLearned);
    CHECK(learner->counts().examples == 59 + open.size());
  }
}

// The mean that stands for one outlier is of values that hold others, and may be refuted itself.
TEST_CASE("outliers of many sizes among the first examples are found out one by one, and that ends") {
  constexpr double kSizes[] = {0, 1, 2, -3, 30, 1e3, 1e6, -1e9, 1e15, -1e25, 1e29};
  for (const Algorithm& algorithm : kAlgorithms) {
    LearnerOptions options = options_for(std::string(algorithm.name), 2);
    const SecondMoments known = known_moments(std::vector<double>(kDimension, 1));
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const auto learner = make_learner(options, wants_moments(options.algorithm) ? &known : nullptr).value();
      Random numbers(seed);
      Random draws(4);
      Plan plan;
      const auto wild = [&] {
        return kSizes[numbers.uniform() < 0.7
                          ? static_cast<std::size_t>(3 * numbers.uniform())
                          : static_cast<std::size_t>(std::size(kSizes) * numbers.uniform())];
      };
      constexpr std::uint64_t kExamples = 120;
      for (std::uint64_t t = 0; t < kExamples; ++t) {
        learner->plan(draws, plan);
        if (learner->learns_from_entries()) plan.attributes = {0, 1, 2, 3};
        std::vector<double> values(plan.attributes.size());
        std::ranges::generate(values, wild);
        learner->learn(plan, values, wild(), 1);
      }
      INFO(algorithm.name);
      CHECK(learner->counts().examples + learner->counts().left_out + learner->counts().diverged >=
            kExamples);
    }
  }
}

}  // namespace first_outliers_test
