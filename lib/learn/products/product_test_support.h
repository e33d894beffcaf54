#pragma once

#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <vector>

#include "learn/factory.h"
#include "learn/learner_test_support.h"

namespace glimpse::test {

inline constexpr std::size_t kAttributes = 8;

inline LearnerOptions product_options(std::size_t budget = 5) {
  LearnerOptions options;
  options.algorithm = "pairwise";
  options.dimension = kAttributes;
  options.budget = budget;
  options.products = 2;
  return options;
}

// Attributes about `offset`, times `size`; the label is of products of two, also of three, or linear.
struct Stream {
  explicit Stream(std::uint64_t seed) : random(seed) {}
  void next() {
    for (double& value : x) value = 2 * random.uniform() - 1;
    label = x[0] + 0.1 * (random.uniform() - 0.5);
    if (has_products) label += 4 * x[1] * x[2] + 3 * x[3] * x[3];
    if (has_triples) label += 8 * x[1] * x[2] * x[4] + 6 * x[5] * x[5] * x[6];
    for (double& value : x) value = offset + size * value;
  }
  std::vector<Entry> entries() const {
    std::vector<Entry> result;
    for (Attribute i = 0; i < kAttributes; ++i) result.push_back({i, x[i]});
    return result;
  }
  Random random;
  bool has_products = true;
  bool has_triples = false;
  double offset = 0;
  double size = 1;
  std::vector<double> x = std::vector<double>(kAttributes);
  double label = 0;
};

template <class Source>
void learn(Learner& learner, Source& stream, Random& random, int examples, double missing = 0) {
  Plan plan;
  for (int t = 0; t < examples; ++t) {
    stream.next();
    learner.plan(random, plan);
    std::vector<double> values = reveal(plan, stream.x);
    for (double& value : values)
      if (missing > 0 && stream.random.uniform() < missing) value = NAN;
    learner.learn(plan, values, stream.label, 1);
  }
}

// Over the variance of the labels.
template <class Source>
double loss_of(const Learner& learner, Source& stream, int examples = 500) {
  double squares = 0;
  double sum = 0;
  double square = 0;
  for (int t = 0; t < examples; ++t) {
    stream.next();
    const double error = learner.predict(stream.entries()) - stream.label;
    squares += error * error;
    sum += stream.label;
    square += stream.label * stream.label;
  }
  return squares / (square - sum * sum / examples);
}

// By how much the progressive loss of the next examples exceeds the errors of what judges them, seen whole.
template <class Source>
double excess_of_progressive_loss(Learner& learner, Source& stream, Random& random, int examples) {
  const auto count = static_cast<double>(learner.counts().examples);
  const double before = learner.progressive_loss().total().mean * count;
  double honest = 0;
  for (int t = 0; t < examples; ++t) {
    Source next = stream;
    next.next();
    const double error = learner.predict_as_judged(next.entries()) - next.label;
    honest += error * error;
    learn(learner, stream, random, 1);
  }
  return (learner.progressive_loss().total().mean * (count + examples) - before - honest) / examples;
}

// The same in standard errors.
template <class Source>
double deviation_of_progressive_loss(Learner& learner, Source& stream, Random& random, int examples) {
  const double excess = excess_of_progressive_loss(learner, stream, random, examples);
  return std::abs(excess) / learner.progressive_loss().total().standard_error();
}

// Learners that learned `before` examples of `begun`, and were saved and restored: both go on with `after`
// more, and are then the same to the bit.
template <class Source>
void check_goes_on(const LearnerOptions& options, const Source& begun, int before, int after) {
  auto learner = make_learner(options).value();
  Source stream = begun;
  Random random(2);
  learn(*learner, stream, random, before);
  const State state = saved(*learner);
  auto restored = make_learner(options).value();
  REQUIRE(restored->restore(state).has_value());
  Source same = stream;
  Random draws = random;
  learn(*learner, stream, random, after);
  learn(*restored, same, draws, after);
  CHECK(learner->shared_model()->weights == restored->shared_model()->weights);
  CHECK(learner->progressive_loss().total().mean == restored->progressive_loss().total().mean);
  CHECK(learner->describe().expansion->products == restored->describe().expansion->products);
}

}  // namespace glimpse::test
