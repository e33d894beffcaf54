#include "learn/classes/discriminants.h"

#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include <Eigen/Dense>

#include "base/random.h"
#include "learn/classes/class_scores.h"
#include "learn/classes/temperature.h"

namespace glimpse::discriminants_test {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr Eigen::Index kSlots = 4;
constexpr Eigen::Index kClasses = 3;

TEST_CASE("discriminants are those of normal classes with one covariance") {
  const Vector shares{{0.5, 0.3, 0.2}};
  Matrix means(kSlots, kClasses);
  means << 1, 0, -1, 0, 2, 0, 0.5, 0.5, 1, -1, 0, 0;
  Matrix root(kSlots, kSlots);
  root << 1, 0, 0, 0, 0.3, 1, 0, 0, -0.2, 0.1, 1.5, 0, 0.4, 0, 0.2, 0.8;
  const Matrix within = root * root.transpose();
  const Vector centre = means * shares;
  Matrix b = means.colwise() - centre;
  const Matrix all = within + b * shares.asDiagonal() * b.transpose();
  b = b * shares.asDiagonal();
  const Matrix w = all.ldlt().solve(b);
  ClassTargets targets;
  targets.counts = {50e6, 30e6, 20e6};
  targets.weights.assign(w.data(), w.data() + w.size());
  targets.covariances.assign(b.data(), b.data() + b.size());
  targets.centres.assign(centre.data(), centre.data() + centre.size());
  const ClassModel model = discriminants(targets);
  REQUIRE(model.classes() == kClasses);
  const Vector x{{0.3, -1, 2, 0.7}};
  std::vector<double> scores = model.biases;
  for (std::size_t i = 0; i < kSlots; ++i)
    for (std::size_t c = 0; c < kClasses; ++c)
      scores[c] += model.weights_of(i)[c] * x[static_cast<Eigen::Index>(i)];
  Vector density(kClasses);
  for (Eigen::Index c = 0; c < kClasses; ++c) {
    const Vector off = x - means.col(c);
    density[c] = std::log(shares[c]) - off.dot(within.ldlt().solve(off)) / 2;
  }
  for (std::size_t c = 1; c < kClasses; ++c)
    CHECK(scores[c] - scores[0] ==
          doctest::Approx(density[static_cast<Eigen::Index>(c)] - density[0]).epsilon(1e-6));
}

TEST_CASE("what noise explains is taken away") {
  ClassTargets targets;
  targets.counts = {50, 50};
  targets.weights = {0.4, -0.4};
  targets.covariances = {0.2, -0.2};
  targets.centres = {0};
  // H has the eigenvalues 0 and 2·.08/.5.
  CHECK(discriminants(targets).weights[0] == doctest::Approx(0.8 / (1 - 0.32)));
  targets.in_sample = 0.3;
  CHECK(discriminants(targets).weights[0] == doctest::Approx(0.8 / (1 - 0.02)));
  targets.in_sample = 1;
  CHECK(discriminants(targets).weights[0] == doctest::Approx(0.8));
}

TEST_CASE("a class that never came is improbable and not impossible") {
  const ClassModel model = class_priors(std::vector<double>{9, 0});
  CHECK(model.priors[1] == doctest::Approx(0.5 / 10));
  CHECK(model.biases[1] == doctest::Approx(std::log(0.05)));
}

TEST_CASE("scores become probabilities that sum to 1") {
  std::vector<double> scores = {1000, 999, kNoScore};
  to_probabilities(2, scores);
  CHECK(scores[0] == doctest::Approx(1 / (1 + std::exp(-2.0))));
  CHECK(scores[0] + scores[1] == doctest::Approx(1));
  CHECK(scores[2] == 0);
  CHECK(greatest(scores) == 0);
  std::vector<double> nothing = {kNoScore, kNoScore};
  to_probabilities(1, nothing);
  CHECK(nothing[0] == 0.5);
}

// Classes drawn with probabilities of another slope than the scores have.
double fitted(double truth, int examples) {
  Random random(3);
  Temperature temperature;
  for (int n = 0; n < examples; ++n) {
    const double score = 4 * random.uniform() - 2;
    const double p = 1 / (1 + std::exp(-truth * score));
    temperature.add(std::vector<double>{0, score}, random.uniform() < p ? 1 : 0);
  }
  return temperature.slope();
}

TEST_CASE("the slope is found from examples, and is the usual one before") {
  CHECK(Temperature().slope() == doctest::Approx(Temperature::kUsual).epsilon(0.01));
  for (const double truth : {0.3, 0.75, 2.0})
    CHECK(fitted(truth, 20000) == doctest::Approx(truth).epsilon(0.1));
  CHECK(fitted(2, 5) < 1.2);
}

TEST_CASE("a few held-out examples that are all right do not make probabilities sure") {
  Temperature temperature;
  for (int n = 0; n < 25; ++n) temperature.add(std::vector<double>{0, 3}, 1);
  CHECK(temperature.slope() > Temperature::kUsual);
  CHECK(temperature.slope() < 1.05);
}

TEST_CASE("the slope comes back from a state") {
  Temperature temperature;
  for (int n = 0; n < 100; ++n) temperature.add(std::vector<double>{0, 1.0 * (n % 7) - 3}, n % 2);
  State state;
  state.begin();
  temperature.save(state, "held_out");
  state.finish();
  Temperature restored;
  REQUIRE(restored.restore(state, "held_out").has_value());
  CHECK(restored.slope() == temperature.slope());
  CHECK(restored.count() == 100);
}

}  // namespace
}  // namespace glimpse::discriminants_test
