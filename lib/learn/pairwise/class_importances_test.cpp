#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <vector>

#include "base/random.h"
#include "learn/factory.h"
#include "learn/importance/attribute_importance.h"
#include "learn/learner_test_support.h"

namespace glimpse::class_importances_test {
namespace {

constexpr std::size_t kDim = 6;
constexpr std::size_t kClasses = 3;

LearnerOptions options_of(const char* algorithm, std::size_t budget) {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = kDim;
  options.budget = budget;
  return options;
}

// Attribute 0 tells class 0 from 2, attribute 1 class 1, attribute 2 all; the others nothing.
std::size_t next(Random& random, std::vector<double>& x) {
  const std::size_t c = random.below(kClasses);
  x.resize(kDim);
  for (double& value : x) value = random.uniform() + random.uniform() - 1;
  x[0] += 0.4 * static_cast<double>(c);
  x[1] += c == 1 ? 0.4 : 0;
  x[2] += 0.1 * static_cast<double>(c);
  return c;
}

// `of_class`: the indicator of it is the label, in place of classes.
std::unique_ptr<Learner> learned(const LearnerOptions& options, std::uint64_t seed, int examples,
                                 std::size_t of_class = kClasses) {
  auto learner = make_learner(options, nullptr).value();
  if (of_class == kClasses) learner->make_classifier();
  Random random(seed);
  Random draws(seed + 1000);
  Plan plan;
  std::vector<double> x;
  for (int n = 0; n < examples; ++n) {
    const std::size_t c = next(random, x);
    const double label = of_class == kClasses ? static_cast<double>(c) : c == of_class ? 1 : 0;
    learner->plan(draws, plan);
    std::vector<double> values = test::reveal(plan, x);
    if (n == 0) values.back() = NAN;  // or labels would be solved for by ridge regression, classes not
    learner->learn(plan, values, label, 1);
  }
  return learner;
}

std::shared_ptr<const Importances> importances_of(const Learner& learner) {
  (void)learner.shared_model();
  return learner.importances();
}

TEST_CASE("what attributes are worth to classes is what they are worth to all indicators together") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    CAPTURE(algorithm);
    const LearnerOptions options = options_of(algorithm, kDim);  // whose plans are all alike
    const auto together = importances_of(*learned(options, 1, 2000));
    REQUIRE(together);
    ClassImportances expected;
    for (std::size_t c = 0; c < kClasses; ++c) {
      const auto learner = learned(options, 1, 2000, c);
      const auto one = importances_of(*learner);
      REQUIRE(one);
      expected.add(*one, learner->label_variance());
    }
    const Importances sum = expected.together();
    for (std::size_t i = 0; i < kDim; ++i) {
      CHECK(together->shares[i] == doctest::Approx(sum.shares[i]).epsilon(1e-3));  // n and n - 1
      CHECK(together->errors[i] == doctest::Approx(sum.errors[i]).epsilon(1e-2));
    }
    // Class 1 alone would say that attribute 0 is worth nothing.
    const auto one = importances_of(*learned(options, 1, 2000, 1));
    CHECK(one->shares[0] < 3 * one->errors[0]);
    CHECK(together->shares[0] > 10 * together->errors[0]);
    CHECK(together->shares[0] > together->shares[2]);
    for (std::size_t i = 3; i < kDim; ++i) CHECK(together->shares[i] < 4 * together->errors[i]);
  }
}

TEST_CASE("errors of importances for classes are of the size of what they vary by") {
  constexpr int kStreams = 60;
  std::vector<double> sum(kDim);
  std::vector<double> squares(kDim);
  std::vector<double> errors(kDim);
  for (int s = 0; s < kStreams; ++s) {
    const auto learner = learned(options_of("pairwise", 3), 10 + static_cast<std::uint64_t>(s), 2000);
    const auto importances = importances_of(*learner);
    REQUIRE(importances);
    for (std::size_t i = 0; i < kDim; ++i) {
      sum[i] += importances->shares[i] / kStreams;
      squares[i] += importances->shares[i] * importances->shares[i] / kStreams;
      errors[i] += importances->errors[i] / kStreams;
    }
  }
  for (const std::size_t i : {0, 1, 2}) {
    CAPTURE(i);
    const double deviation = std::sqrt(squares[i] - sum[i] * sum[i]);
    CHECK(errors[i] == doctest::Approx(deviation).epsilon(0.35));  // of 60 streams within 9 %, thrice
  }
}

TEST_CASE("two classes have the importances of their label") {
  Importances one{{0.1, 0.3}, {0.01, 0.02}};
  ClassImportances both;
  CHECK(both.together().shares.empty());
  both.add(one, 0.2);
  both.add(one, 0.2);
  both.add({}, 0.1);  // of a class that never came
  const Importances together = both.together();
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(together.shares[i] == doctest::Approx(one.shares[i]));
    CHECK(together.errors[i] == doctest::Approx(one.errors[i]));
  }
}

}  // namespace
}  // namespace glimpse::class_importances_test
