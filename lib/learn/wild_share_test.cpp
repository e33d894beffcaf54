#include <cmath>
#include <doctest/doctest.h>

#include "learn/factory.h"
#include "learn/learner_test_support.h"

namespace wild_share_test {

// Wild values that keep coming, in what is learned from and in what is asked.

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr std::size_t kDimension = 10;
constexpr double kSize = 100;  // 170 to 550 deviations of an attribute

// Each value is wild with chance `share`.
void spoil(std::vector<double>& x, double share, Random& random) {
  for (double& value : x)
    if (random.uniform() < share) value = random.uniform() < 0.5 ? -kSize : kSize;
}

// The labels of Source have next to no noise; these have half as much of it as signal.
class Labels {
 public:
  explicit Labels(std::uint64_t seed) : random_(seed) {}
  double noisy(double label) { return label + 2.4 * (random_.uniform() - 0.5); }

 private:
  Random random_;
};

struct Errors {
  double clean = 0;  // over the labels' mean square, on clean questions
  double wild = 0;   // on questions with the same share of wild values
};

// After `examples` of which a share of the values was wild. Answers take values as --clip auto does.
Errors errors_after(const LearnerOptions& options, int examples, double share, double offset,
                    std::uint64_t seed) {
  const auto learner = make_learner(options).value();
  Source source(kDimension, 5 + seed);
  Random draws(seed);
  Random wild(100 + seed);
  Labels labels(200 + seed);
  Plan plan;
  for (int t = 0; t < examples; ++t) {
    std::vector<double> x = source.next();
    spoil(x, share, wild);
    for (double& value : x) value += offset;
    learner->plan(draws, plan);
    learner->learn(plan, reveal(plan, x), labels.noisy(source.label()), 1);
  }
  Errors errors;
  double square = 0;
  std::vector<Entry> entries(kDimension);
  const auto squared_error = [&](const std::vector<double>& x, double label) {
    for (std::size_t i = 0; i < kDimension; ++i) {
      const auto attribute = static_cast<Attribute>(i);
      entries[i] = {attribute, within_reach(x[i] + offset, learner->reach(attribute))};
    }
    const double residual = learner->predict(entries) - label;
    return residual * residual;
  };
  for (int t = 0; t < 1000; ++t) {
    std::vector<double> x = source.next();
    const double label = labels.noisy(source.label());
    errors.clean += squared_error(x, label);
    spoil(x, share, wild);
    errors.wild += squared_error(x, label);
    square += label * label;
  }
  return {errors.clean / square, errors.wild / square};
}

Errors mean_errors(const LearnerOptions& options, int examples, double share, double offset = 0) {
  constexpr std::uint64_t kSeeds = 8;
  Errors mean;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Errors errors = errors_after(options, examples, share, offset, seed);
    mean.clean += errors.clean / kSeeds;
    mean.wild += errors.wild / kSeeds;
  }
  return mean;
}

}  // namespace

TEST_SUITE("repeats") {
  TEST_CASE("two wild values in a thousand cost next to nothing, in what is learned from and what is asked") {
    for (const char* algorithm : {"pairwise", "pairwise-screened"})
      for (const bool forgets : {false, true})
        for (const double offset : {0.0, 1000.0}) {
          LearnerOptions options;
          options.algorithm = algorithm;
          options.dimension = kDimension;
          options.budget = 4;
          if (options.algorithm == "pairwise-screened") options.active = kDimension;
          if (forgets) options.half_life = 5000;
          const double usual = mean_errors(options, 20000, 0, offset).clean;
          const Errors errors = mean_errors(options, 20000, 0.002, offset);
          INFO(std::string(algorithm), " ", forgets, " ", offset, ": ", usual, " ", errors.clean, " ",
               errors.wild);
          CHECK(errors.clean <= 1.1 * usual);
          CHECK(errors.wild <= 1.1 * usual);
        }
  }
}

TEST_CASE("with --outliers keep wild values are learned from, and asked with") {
  LearnerOptions options;
  options.algorithm = "pairwise";
  options.dimension = kDimension;
  options.budget = 4;
  const double bounded = mean_errors(options, 10000, 0.002).wild;
  options.outliers = Outliers::kKeep;
  CHECK(mean_errors(options, 10000, 0.002).wild > 2 * bounded);
}

}  // namespace wild_share_test
