// Weights in a ball of L1 or L2: the bound holds, and the model is the best within it.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <vector>

#include "learn/covariance/attribute_units.h"
#include "learn/linalg/l1_ball.h"
#include "learn/linalg/l1_quadratic.h"
#include "learn/solver/pairwise_solver_test_support.h"

namespace pairwise_solver_ball_test {

using namespace glimpse;
using namespace glimpse::pairwise_solver_test;

TEST_CASE("a radius bounds the norm in the attributes' own units, and is reached when it binds") {
  PairwiseSolver solver;
  Model free;
  const PairSnapshot moments = learn(Stream(1), 20000, kDimension);
  solver.solve(moments, NormBall{Ball::kL2, 1e9}, free);
  const auto norm = [](const Model& model) {
    double sum = 0;
    for (const double w : model.weights) sum += w * w;
    return std::sqrt(sum);
  };
  Model bound;
  const PairwiseChoice choice = solver.solve(moments, NormBall{Ball::kL2, norm(free) / 3}, bound);
  CHECK(norm(bound) <= norm(free) / 3 * (1 + 1e-12));
  CHECK(norm(bound) == doctest::Approx(norm(free) / 3));
  CHECK(choice.ridge > 0);
}

TEST_CASE("an L1 ball bounds the sum of the weights, and its model is the best on it") {
  PairwiseSolver solver;
  Model free;
  const PairSnapshot moments = learn(Stream(1), 20000, kDimension);
  solver.solve(moments, NormBall{Ball::kL1, 1e9}, free);
  Model ridge;
  solver.solve(moments, NormBall{Ball::kL2, 1e9}, ridge);
  CHECK(free.weights == ridge.weights);  // a ball that holds them does not touch them

  double last = loss(free, Stream(2));
  for (const double share : {0.9, 0.5, 0.1, 1e-3}) {
    const double radius = share * l1_norm(free.weights);
    Model bound;
    solver.solve(moments, NormBall{Ball::kL1, radius}, bound);
    CHECK(l1_norm(bound.weights) <= radius);
    CHECK(l1_norm(bound.weights) == doctest::Approx(radius));
    const double now = loss(bound, Stream(2));
    CHECK(now > last);  // the true weights are those of the free solution
    last = now;
    // Shorter weights in their direction do worse.
    Model shorter = free;
    shorter.bias = moments.label_centre();
    for (std::size_t i = 0; i < kDimension; ++i) {
      shorter.weights[i] *= share;
      shorter.bias -= shorter.weights[i] * moments.centre(i);
    }
    CHECK(now < loss(shorter, Stream(2)));
  }
}

TEST_CASE("the model in an L1 ball is that of another solver on the same covariances") {
  // 12 attributes: the Krylov space is all of them, and with many whole examples Ĉ is positive definite.
  const PairSnapshot moments = learn(Stream(1), 5000, kDimension);
  PairwiseSolver solver;
  Model model;
  const double radius = 0.02;
  const PairwiseChoice choice = solver.solve(moments, NormBall{Ball::kL1, radius}, model);
  REQUIRE(choice.shrink == 1);
  double deviation = 0;
  for (std::size_t i = 0; i < kDimension; ++i)
    deviation = std::max(deviation, std::sqrt(moments[i].variance()));
  const double unit = std::exp2(std::floor(std::log2(deviation)) + 1);  // the solver's
  double squares = 0;
  double counts = 0;
  for (std::size_t i = 0; i < kDimension; ++i) {
    squares += moments[i].weight() * moments[i].variance();
    counts += moments[i].weight();
  }
  PackedSymmetric half(kDimension);
  std::vector<double> target(kDimension);
  for (std::size_t i = 0; i < kDimension; ++i) {
    const double n = moments[i].weight();
    const double variance = (n * moments[i].variance() + squares / counts / 2) / (n + 0.5);
    half.at(i, i) =
        variance * (1 + 1 / std::sqrt(effective_count(moments[i]))) / 2 + choice.ridge * unit * unit / 2;
    for (std::size_t j = i + 1; j < kDimension; ++j)
      half.at(i, j) = moments.co_moment(i, j) / (moments.weight(i, j) + 1) / 2;
    target[i] = (moments.label_co_moment(i, 0) + moments.label_co_moment(i, 1)) / (n + 1);
  }
  const L1Minimum slow = minimise_on_l1_ball(half, target, radius);
  REQUIRE(slow.stationary);
  REQUIRE(l1_norm(slow.w) == doctest::Approx(radius));
  for (std::size_t i = 0; i < kDimension; ++i)
    CHECK(model.weights[i] == doctest::Approx(slow.w[i]).epsilon(1e-3));
}

TEST_CASE("with a ball, units far from 1 are no trouble") {
  PairwiseSolver solver;
  Model model;
  Model scaled;
  for (const double scale : {0x1p-80, 0x1p80}) {
    Stream other(1);
    other.scale = scale;
    for (const Ball ball : {Ball::kL1, Ball::kL2}) {
      solver.solve(learn(Stream(1), 3000, 5), NormBall{ball, 1}, model);
      solver.solve(learn(other, 3000, 5), NormBall{ball, 1 / scale}, scaled);
      for (std::size_t i = 0; i < kDimension; ++i)
        CHECK(scaled.weights[i] * scale == doctest::Approx(model.weights[i]).epsilon(1e-4));
    }
  }
}

}  // namespace pairwise_solver_ball_test
