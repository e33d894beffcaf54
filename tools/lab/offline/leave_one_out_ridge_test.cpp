#include "lab/offline/leave_one_out_ridge.h"

#include <cmath>
#include <doctest/doctest.h>

#include <Eigen/Dense>

#include "base/random.h"

namespace leave_one_out_ridge_test {

using namespace glimpse;

namespace {

// Attributes of different size, some alike, the last constant.
DenseSet ridge_table(std::size_t n, std::size_t d, double noise, std::uint64_t seed) {
  Random random(seed);
  DenseSet set;
  set.dimension = d;
  std::vector<float> row(d);
  for (std::size_t i = 0; i < n; ++i) {
    const double common = random.uniform();
    for (std::size_t j = 0; j + 1 < d; ++j)
      row[j] = static_cast<float>(static_cast<double>(j + 1) * (common + random.uniform()));
    row[d - 1] = 3;
    set.append(row, 2 * common + noise * (random.uniform() - 0.5));
  }
  return set;
}

// The errors left out, from one regression after another, and the weights.
struct Plain {
  double square;
  Eigen::VectorXd weights;  // of standardised attributes
};

Plain plain_ridge(const DenseSet& set, double ridge) {
  const auto n = static_cast<Eigen::Index>(set.size());
  const auto d = static_cast<Eigen::Index>(set.dimension);
  Eigen::MatrixXd z(n, d);
  Eigen::VectorXd y(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    y[i] = set.labels[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < d; ++j)
      z(i, j) = set.row(static_cast<std::size_t>(i))[static_cast<std::size_t>(j)];
  }
  for (Eigen::Index j = 0; j < d; ++j) {
    z.col(j).array() -= z.col(j).mean();
    const double deviation = std::sqrt(z.col(j).squaredNorm() / static_cast<double>(n));
    if (deviation > 1e-6) z.col(j) /= deviation;
  }
  Eigen::MatrixXd with_one(n, d + 1);
  with_one << z, Eigen::VectorXd::Ones(n);
  Eigen::MatrixXd penalty = static_cast<double>(n) * ridge * Eigen::MatrixXd::Identity(d + 1, d + 1);
  penalty(d, d) = 0;
  const auto solve = [&](const Eigen::MatrixXd& x, const Eigen::VectorXd& labels) -> Eigen::VectorXd {
    return (x.transpose() * x + penalty).ldlt().solve(x.transpose() * labels);
  };
  double squares = 0;
  for (Eigen::Index left = 0; left < n; ++left) {
    Eigen::MatrixXd others = with_one;
    Eigen::VectorXd labels = y;
    others.row(left).setZero();
    labels[left] = 0;
    const double error = y[left] - with_one.row(left).dot(solve(others, labels));
    squares += error * error;
  }
  return {squares / static_cast<double>(n), solve(with_one, y)};
}

void check_against_plain(const DenseSet& set) {
  const LeaveOneOutRidge fast = leave_one_out_ridge(set, natural_order(set.size()));
  REQUIRE(std::isfinite(fast.ridge));
  const Plain plain = plain_ridge(set, fast.ridge);
  CHECK(fast.square == doctest::Approx(plain.square).epsilon(1e-6));
  // No other λ is better.
  for (int power = -20; power <= 8; power += 2)
    CHECK(plain_ridge(set, std::ldexp(1.0, power)).square > fast.square * (1 - 1e-6));
  double mean = fast.model.bias;
  for (std::size_t j = 0; j < set.dimension; ++j) {
    double centre = 0;
    for (std::size_t i = 0; i < set.size(); ++i) centre += set.row(i)[j] / static_cast<double>(set.size());
    double variance = 0;
    for (std::size_t i = 0; i < set.size(); ++i)
      variance += (set.row(i)[j] - centre) * (set.row(i)[j] - centre) / static_cast<double>(set.size());
    CHECK(fast.model.weights[j] * std::sqrt(variance) ==
          doctest::Approx(plain.weights[static_cast<Eigen::Index>(j)]).epsilon(1e-6));
    mean += fast.model.weights[j] * centre;
  }
  CHECK(mean == doctest::Approx(plain.weights[static_cast<Eigen::Index>(set.dimension)]).epsilon(1e-6));
}

}  // namespace

TEST_CASE(
    "the error left out is that of leaving out one example after another, with more examples than "
    "attributes") {
  check_against_plain(ridge_table(40, 5, 1, 1));
}

TEST_CASE(
    "the error left out is that of leaving out one example after another, with fewer examples than "
    "attributes") {
  check_against_plain(ridge_table(12, 20, 1, 2));
}

TEST_CASE(
    "where attributes say nothing of the label, the model is nearly the mean; of one example it is the "
    "label") {
  DenseSet set = ridge_table(400, 3, 0, 3);
  Random random(9);
  for (double& label : set.labels) label = 5 + random.uniform();
  const LeaveOneOutRidge none = leave_one_out_ridge(set, natural_order(set.size()));
  double mean = 0;
  for (const double label : set.labels) mean += label / 400;
  double prediction = none.model.bias;
  for (std::size_t j = 0; j < 3; ++j)
    prediction += none.model.weights[j] * static_cast<double>(set.row(0)[j]);
  CHECK(std::abs(prediction - mean) < 0.1);
  double variance = 0;
  for (const double label : set.labels) variance += (label - mean) * (label - mean) / 400;
  // Never worse than the mean of the others, which is a candidate; no better but by chance.
  CHECK(none.square <= variance / (399.0 / 400 * 399 / 400) * (1 + 1e-12));
  CHECK(none.square > 0.95 * variance);

  const LeaveOneOutRidge one = leave_one_out_ridge(set, std::vector<std::uint32_t>{7});
  CHECK(one.model.bias == set.labels[7]);
  CHECK(one.model.weights == std::vector<double>{0, 0, 0});
}

}  // namespace leave_one_out_ridge_test
