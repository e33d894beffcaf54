// How much of what was seen is believed: the level of the noise, the gate, and attributes seen rarely or
// never.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include <Eigen/Dense>

#include "learn/covariance/attribute_units.h"
#include "learn/solver/pairwise_solver_test_support.h"

namespace pairwise_solver_noise_test {

using namespace glimpse;
using namespace glimpse::pairwise_solver_test;

TEST_CASE("where there is nothing to learn it predicts little else than the mean, on average over streams") {
  PairwiseSolver solver;
  Model model;
  for (const int examples : {60, 250, 2000}) {
    double ratio = 0;
    constexpr int kStreams = 40;
    for (int s = 0; s < kStreams; ++s) {
      const PairSnapshot moments = learn(Stream(static_cast<std::uint64_t>(100 + s)), examples, 4, false);
      solver.solve(moments, {}, model);
      Model mean;
      mean.weights.assign(kDimension, 0.0);
      mean.bias = moments.label().mean();
      ratio += loss(model, Stream(7), false) / loss(mean, Stream(7), false) / kStreams;
    }
    CAPTURE(examples);
    CHECK(ratio < 1.02);
  }
}

TEST_CASE("two hundred examples open the gate where labels hang on attributes, and not where they do not") {
  PairwiseSolver solver;
  Model model;
  double open = 0;
  double shut = 0;
  constexpr int kStreams = 40;
  for (int s = 0; s < kStreams; ++s) {
    const auto seed = static_cast<std::uint64_t>(100 + s);
    open += solver.solve(learn(Stream(seed), 200, 4), {}, model).shrink / kStreams;
    shut += solver.solve(learn(Stream(seed), 200, 4, false), {}, model).shrink / kStreams;
  }
  CAPTURE(open);
  CAPTURE(shut);
  CHECK(open > 0.9);
  CHECK(shut < 0.15);
}

namespace {

// Four of five attributes are seen in every example, the last in three alone; units as given.
PairMoments rarely_seen(const std::vector<double>& units) {
  PairMoments moments(5);
  Random random(3);
  for (int e = 0; e < 400; ++e) {
    std::vector<Attribute> seen;
    std::vector<double> values;
    double label = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      const double x = random.uniform() - 0.5;
      label += x;
      if (i == 4 && e % 150 != 0) continue;
      seen.push_back(static_cast<Attribute>(i));
      values.push_back(units[i] * x);
    }
    moments.add(seen, values, label, 1);
  }
  return moments;
}

}  // namespace

TEST_CASE("an attribute seen three times counts for less where no other tells its unit") {
  PairwiseSolver solver;
  Model alike;
  Model apart;
  solver.solve(snapshot_of(rarely_seen({1, 1, 1, 1, 1})), {}, alike);
  solver.solve(snapshot_of(rarely_seen({1, 256, 65536, 1.0 / 256, 1})), {}, apart);
  CHECK(alike.weights[0] == doctest::Approx(1).epsilon(0.2));
  CHECK(apart.weights[0] == doctest::Approx(1).epsilon(0.2));
  CHECK(std::abs(apart.weights[4]) < 0.5 * std::abs(alike.weights[4]));
}

TEST_CASE("the noise level is that of the matrix V: by an eigen-decomposition") {
  const PairSnapshot moments = learn(Stream(1), 300, 4);
  const std::vector<double> units = balanced_units(moments.attributes()).units;
  double squares = 0;
  double counts = 0;
  Eigen::VectorXd sums(kDimension);
  for (std::size_t i = 0; i < kDimension; ++i) {
    sums[static_cast<Eigen::Index>(i)] = moments[i].weight() * moments[i].variance() / (units[i] * units[i]);
    squares += sums[static_cast<Eigen::Index>(i)];
    counts += moments[i].weight();
  }
  Eigen::MatrixXd v = Eigen::MatrixXd::Zero(kDimension, kDimension);
  double seen = 0;
  double all = 0;
  for (Eigen::Index i = 0; i < v.rows(); ++i)
    for (Eigen::Index j = 0; j < v.rows(); ++j) {
      if (i == j) continue;
      const auto a = static_cast<std::size_t>(std::min(i, j));
      const auto b = static_cast<std::size_t>(std::max(i, j));
      const double product =
          (sums[i] + squares / counts / 2) / (moments[static_cast<std::size_t>(i)].weight() + 0.5) *
          (sums[j] + squares / counts / 2) / (moments[static_cast<std::size_t>(j)].weight() + 0.5);
      const double count = moments.weight(a, b);
      const double most = std::max(moments[a].weight(), moments[b].weight()) + kDimension / 8.0;
      v(i, j) = product / (count + 1) * (1 - count / most);
      seen += product * count / (count + 1);
      all += product;
    }
  // Correlations of 1/2, which so few examples show to be larger than what would lower the level.
  const double factor = 1.2 - 0.45 * seen / all;
  const double largest = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(v).eigenvalues().maxCoeff();
  PairwiseSolver solver;
  Model model;
  CHECK(solver.solve(moments, {}, model).ridge == doctest::Approx(factor * std::sqrt(largest)).epsilon(1e-4));
}

TEST_CASE("attributes that were never seen change nothing of the model of the others") {
  for (const std::size_t budget : {std::size_t{12}, std::size_t{4}}) {
    PairMoments among_them(kDimension);
    PairMoments with_more(kDimension + 4);
    Stream stream(1);
    for (int e = 0; e < 300; ++e) {
      stream.next(true);
      std::vector<Attribute> seen;
      std::vector<double> values;
      for (std::size_t i = 0; i < kDimension; ++i) {
        if (stream.random.uniform() * kDimension > static_cast<double>(budget)) continue;
        seen.push_back(static_cast<Attribute>(i));
        values.push_back(stream.x[i]);
      }
      among_them.add(seen, values, stream.label, 1);
      with_more.add(seen, values, stream.label, 1);
    }
    PairwiseSolver solver;
    Model few;
    Model more;
    const PairwiseChoice choice = solver.solve(snapshot_of(among_them), {}, few);
    CHECK(solver.solve(snapshot_of(with_more), {}, more).ridge ==
          doctest::Approx(choice.ridge).epsilon(1e-4));
    for (std::size_t i = 0; i < kDimension; ++i)
      CHECK(more.weights[i] == doctest::Approx(few.weights[i]).epsilon(1e-3));
    for (std::size_t i = kDimension; i < more.weights.size(); ++i) CHECK(more.weights[i] == 0);
  }
}

TEST_CASE("the level falls where it is certain that attributes are not correlated, and not before") {
  const auto level = [](int examples, bool correlated) {
    PairMoments moments(30);
    Random random(11);
    std::vector<Attribute> all(30);
    for (std::size_t i = 0; i < 30; ++i) all[i] = static_cast<Attribute>(i);
    std::vector<double> x(30);
    for (int e = 0; e < examples; ++e) {
      const double common = correlated ? random.uniform() - 0.5 : 0;
      for (double& value : x) value = random.uniform() - 0.5 + 0.6 * common;
      moments.add(all, x, x[0], 1);
    }
    PairwiseSolver solver;
    Model model;
    // In a matrix of equal variances ‖V‖₂ is 29 times the variance of an entry; the common unit is 1/2.
    const double share = 3.75 / (examples + 3.75);  // of an entry's noise that is not that of b̂
    const double variance = std::pow(1.0 / 12 * (correlated ? 1.36 : 1) * 4, 2) / (examples + 1) * share;
    return solver.solve(snapshot_of(moments), NormBall{Ball::kL2, 1e9}, model).ridge /
           std::sqrt(29 * variance);
  };
  CHECK(level(5, false) > 0.55);  // .77 times what five examples say of variances
  CHECK(level(4000, false) == doctest::Approx(0.6 * 0.75).epsilon(0.05));
  CHECK(level(4000, true) == doctest::Approx(0.75).epsilon(0.05));
}

}  // namespace pairwise_solver_noise_test
