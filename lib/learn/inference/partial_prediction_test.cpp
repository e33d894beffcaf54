#include "learn/inference/partial_prediction.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <numeric>

#include <Eigen/Dense>

#include "base/random.h"
#include "learn/inference/conditioning.h"

namespace partial_prediction_test {

using namespace glimpse;

namespace {

// A model and normal attributes with the means and covariances given: no ridge.
struct Normal {
  Eigen::MatrixXd sigma;
  Eigen::VectorXd mean;
  Eigen::VectorXd weights;
  double bias = 0;

  std::shared_ptr<Solution> solution() const {
    auto solution = std::make_shared<Solution>();
    const auto d = static_cast<std::size_t>(mean.size());
    solution->model.weights.assign(weights.data(), weights.data() + d);
    solution->model.bias = bias;
    TargetMoments& moments = solution->moments;
    moments = no_moments(d);
    const Eigen::VectorXd target = sigma * weights;
    const Eigen::VectorXd variances = sigma.diagonal();
    moments.means.assign(mean.data(), mean.data() + d);
    moments.variances.assign(variances.data(), variances.data() + d);
    moments.target.assign(target.data(), target.data() + d);
    moments.total = weights.dot(target);
    moments.expected = weights.dot(mean);
    return solution;
  }
  std::vector<double> row(Attribute i, std::span<const Attribute> universe) const {
    std::vector<double> row;
    for (const Attribute j : universe) row.push_back(sigma(i, j));
    return row;
  }
};

std::vector<Attribute> all(std::size_t d) {
  std::vector<Attribute> attributes(d);
  std::iota(attributes.begin(), attributes.end(), Attribute{0});
  return attributes;
}

Normal random_normal(Eigen::Index d, std::uint64_t seed) {
  Random random(seed);
  const auto number = [&] { return 2 * random.uniform() - 1; };
  Normal normal;
  Eigen::MatrixXd factor(d, d);
  for (Eigen::Index i = 0; i < d; ++i)
    for (Eigen::Index j = 0; j < d; ++j) factor(i, j) = number();
  normal.sigma = factor * factor.transpose() + 0.1 * Eigen::MatrixXd::Identity(d, d);
  normal.mean = Eigen::VectorXd::NullaryExpr(d, number) * 3;
  normal.weights = Eigen::VectorXd::NullaryExpr(d, number);
  normal.bias = number();
  return normal;
}

// The textbook's formulas, with an inverse.
struct Answer {
  double prediction;
  double variance;
};
Answer naive(const Normal& normal, const std::vector<Attribute>& known, const Eigen::VectorXd& x) {
  const auto d = static_cast<std::size_t>(normal.mean.size());
  std::vector<Eigen::Index> a(known.begin(), known.end());
  std::vector<Eigen::Index> u;
  for (std::size_t i = 0; i < d; ++i)
    if (std::find(known.begin(), known.end(), i) == known.end()) u.push_back(static_cast<Eigen::Index>(i));
  const Eigen::MatrixXd gain = normal.sigma(u, a) * normal.sigma(a, a).inverse();
  const Eigen::VectorXd expected = normal.mean(u) + gain * (x(a) - normal.mean(a));
  const Eigen::MatrixXd left = normal.sigma(u, u) - gain * normal.sigma(a, u);
  const Eigen::VectorXd w = normal.weights(u);
  return {normal.bias + normal.weights(a).dot(x(a)) + w.dot(expected), w.dot(left * w)};
}

Normal two() {
  Normal normal;
  normal.sigma = Eigen::MatrixXd{{4, 2}, {2, 9}};
  normal.mean = Eigen::VectorXd{{1, -1}};
  normal.weights = Eigen::VectorXd{{1, 2}};
  normal.bias = 3;
  return normal;
}

double equal_cost(Attribute) { return 1; }

}  // namespace

TEST_CASE("two attributes, by hand: nothing, one and both known") {
  const Normal normal = two();
  PartialPrediction prediction(normal.solution(), all(2));
  CHECK(prediction.prediction() == doctest::Approx(3 + 1 - 2));
  CHECK(prediction.variance() == doctest::Approx(4 + 2 * 2 * 2 + 4 * 9));
  // E[x₁ | x₀ = 3] = −1 + 2/4·2 = 0, its variance 9 − 2²/4 = 8.
  CHECK(prediction.add_known(0, 3, normal.row(0, all(2))));
  CHECK(prediction.expected(1) == doctest::Approx(0));
  CHECK(prediction.variance(1) == doctest::Approx(8));
  CHECK(prediction.prediction() == doctest::Approx(3 + 3 + 0));
  CHECK(prediction.variance() == doctest::Approx(4 * 8));
  CHECK(prediction.standard_error(4) == doctest::Approx(6));
  CHECK(prediction.add_known(1, 5, normal.row(1, all(2))));
  CHECK(prediction.prediction() == 3 + 3 + 10);
  CHECK(prediction.variance() == 0);
  CHECK(prediction.standard_error(4) == 2);
}

TEST_CASE("any known part of random attributes, in any order: what an inverse gives") {
  Random random(7);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::size_t d = 1 + seed % 13;
    const Normal normal = random_normal(static_cast<Eigen::Index>(d), seed);
    std::vector<Attribute> order = all(d);
    for (std::size_t i = 0; i + 1 < d; ++i) std::swap(order[i], order[i + random.below(d - i)]);
    Eigen::VectorXd x(static_cast<Eigen::Index>(d));
    for (double& value : x) value = 4 * random.uniform();
    PartialPrediction forwards(normal.solution(), all(d));
    for (std::size_t n = 1; n <= d; ++n) {
      REQUIRE(forwards.add_known(order[n - 1], x(order[n - 1]), normal.row(order[n - 1], all(d))));
      const std::vector<Attribute> known(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n));
      const Answer answer = naive(normal, known, x);
      CHECK(forwards.prediction() == doctest::Approx(answer.prediction).epsilon(1e-9));
      CHECK(std::abs(forwards.variance() - answer.variance) < 1e-9 * (1 + answer.variance));
      // The known ones alone are a large enough universe.
      PartialPrediction backwards(normal.solution(), known);
      for (std::size_t k = n; k-- > 0;)
        REQUIRE(backwards.add_known(known[k], x(known[k]), normal.row(known[k], known)));
      CHECK(backwards.prediction() == doctest::Approx(answer.prediction).epsilon(1e-9));
      CHECK(std::abs(backwards.variance() - answer.variance) < 1e-9 * (1 + answer.variance));
    }
  }
}

TEST_CASE("what to know next: the gain per cost, the free ones first, never what cannot be had") {
  // ⟨w, x⟩ = x₀ + x₁, x₂ = a noisy copy of their sum: c = (1, 1, 2), R = (1, 1, 2.5), gains 1, 1, 1.6.
  Normal normal;
  normal.sigma = Eigen::MatrixXd{{1, 0, 1}, {0, 1, 1}, {1, 1, 2.5}};
  normal.mean = Eigen::VectorXd::Zero(3);
  normal.weights = Eigen::VectorXd{{1, 1, 0}};
  PartialPrediction prediction(normal.solution(), all(3));
  const auto best = [&](std::vector<double> costs) {
    return prediction.best_next([costs](Attribute i) { return costs[i]; });
  };
  CHECK(best({1, 1, 1})->attribute == 2);
  CHECK(best({1, 1, 1})->gain == doctest::Approx(1.6));
  CHECK(best({1, 1, 1.7})->attribute == 0);  // 1/1 > 1.6/1.7
  CHECK(best({1, 0.9, 1.7})->attribute == 1);
  CHECK(best({1, 0, 0.001})->attribute == 1);
  CHECK(best({0, 0, 0})->attribute == 2);
  CHECK(best({1, HUGE_VAL, HUGE_VAL})->attribute == 0);
  CHECK(!best({HUGE_VAL, -1, std::nan("")}));
  // With x₂ known c = (1 − 2/2.5, …) = (.2, .2), R = 1 − 1/2.5 = .6: gains .0667 each.
  CHECK(prediction.suppose_known(2, normal.row(2, all(3))));
  CHECK(prediction.variance() == doctest::Approx(2 - 1.6));
  CHECK(best({1, 2, 1})->attribute == 0);
  CHECK(best({1, 2, 1})->gain == doctest::Approx(0.04 / 0.6));
  CHECK(best({2, 1, 1})->attribute == 1);
  CHECK(prediction.suppose_known(0, normal.row(0, all(3))));
  CHECK(prediction.suppose_known(1, normal.row(1, all(3))));
  CHECK(!best({1, 1, 1}));
}

TEST_CASE("a gain is what the expected squared error falls by, whatever the value") {
  const Normal normal = random_normal(9, 3);
  PartialPrediction prediction(normal.solution(), all(9));
  for (int step = 0; step < 5; ++step) {
    const auto choice = prediction.best_next(equal_cost);
    REQUIRE(choice);
    const double before = prediction.variance();
    const double expected = prediction.prediction();
    // No other would have lowered it more.
    for (Attribute i = 0; i < 9; ++i) {
      PartialPrediction other = prediction;
      if (!other.suppose_known(i, normal.row(i, all(9)))) continue;
      CHECK(other.prediction() == doctest::Approx(expected));
      CHECK(before - other.variance() <= choice->gain * (1 + 1e-9));
    }
    CHECK(prediction.add_known(choice->attribute, 10.0 * step, normal.row(choice->attribute, all(9))));
    CHECK(before - prediction.variance() == doctest::Approx(choice->gain));
  }
}

TEST_CASE("refused, and nothing changes: known twice, not in the universe, not a finite number") {
  const Normal normal = two();
  const std::vector<Attribute> universe = {1};
  PartialPrediction prediction(normal.solution(), universe);
  const auto row = normal.row(1, universe);
  CHECK(!prediction.add_known(0, 1, row));
  CHECK(!prediction.add_known(7, 1, row));
  CHECK(!prediction.add_known(1, std::nan(""), row));
  CHECK(!prediction.add_known(1, HUGE_VAL, row));
  CHECK(prediction.known() == 0);
  CHECK(prediction.prediction() == doctest::Approx(2));
  CHECK(prediction.add_known(1, 0, row));
  CHECK(!prediction.add_known(1, 4, row));
  CHECK(!prediction.suppose_known(1, row));
  // E[x₀ | x₁ = 0] = 1 + 2/9.
  CHECK(prediction.prediction() == doctest::Approx(3 + 1 + 2.0 / 9));
}

TEST_CASE("without covariances the others keep their means, and gains are w²·variance") {
  const Normal normal = two();
  auto solution = normal.solution();
  solution->moments.target = {4, 18};
  solution->moments.total = 4 + 36;
  PartialPrediction prediction(solution, all(2));
  CHECK(prediction.best_next(equal_cost)->attribute == 1);
  CHECK(prediction.best_next(equal_cost)->gain == doctest::Approx(36));
  CHECK(prediction.add_known(0, 3, {}));
  CHECK(prediction.prediction() == doctest::Approx(3 + 3 - 2));
  CHECK(prediction.variance() == doctest::Approx(36));
}

TEST_CASE("an attribute that never varied, and one as large as may be, do no harm") {
  Normal normal = random_normal(4, 5);
  normal.sigma.row(2).setZero();
  normal.sigma.col(2).setZero();
  PartialPrediction prediction(normal.solution(), all(4));
  const double before = prediction.prediction();
  CHECK(prediction.add_known(2, normal.mean(2) + 1, normal.row(2, all(4))));
  CHECK(prediction.prediction() == doctest::Approx(before + normal.weights(2)));
  CHECK(prediction.add_known(0, 1e30, normal.row(0, all(4))));
  CHECK(std::isfinite(prediction.prediction()));
  CHECK(std::isfinite(prediction.standard_error()));
}

TEST_CASE("covariances that no matrix has: variances stay at 0 or above, and predictions finite") {
  Random random(11);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t d = 8;
    const Normal normal = random_normal(static_cast<Eigen::Index>(d), static_cast<std::uint64_t>(trial));
    auto solution = normal.solution();
    solution->moments.margin = 0.25;
    for (std::size_t i = 0; i < d; ++i) {
      solution->moments.ridge[i] = 0.2 * solution->moments.variances[i];
      solution->moments.target[i] *= 3 * random.uniform();
    }
    PartialPrediction prediction(solution, all(d));
    double variance = prediction.variance();
    for (Attribute i = 0; i < d; ++i) {
      std::vector<double> row;
      for (std::size_t j = 0; j < d; ++j)
        row.push_back(2 * (random.uniform() - 0.5) *
                      std::sqrt(solution->moments.variances[i] * solution->moments.variances[j]));
      const double surprise = 3 * (random.uniform() - 0.5) * std::sqrt(prediction.variance(i));
      REQUIRE(prediction.add_known(i, prediction.expected(i) + surprise, row));
      CHECK(prediction.variance() >= 0);
      CHECK(prediction.variance() <= 2 * variance + 1e-9);
      CHECK(std::abs(prediction.prediction()) < 1e3);
      for (std::size_t j = i + 1; j < d; ++j)
        CHECK(prediction.variance(j) >= 0.25 * solution->moments.ridge[j]);
      variance = std::max(variance, prediction.variance());
    }
    CHECK(prediction.variance() == 0);
  }
}

}  // namespace partial_prediction_test
