#include "learn/linalg/l1_ridge.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

#include "base/random.h"
#include "learn/linalg/l1_ball.h"
#include "learn/linalg/l1_quadratic.h"

namespace l1_ridge_test {

using namespace glimpse;

namespace {

struct Problem {
  double ridge;
  std::size_t n;
  std::vector<double> factors;
  std::vector<double> target;

  RidgeQuadratic quadratic() const { return {ridge, factors, target}; }
  double p(std::size_t i, std::size_t j) const {
    double sum = i == j ? ridge : 0;
    for (std::size_t k = 0; k < factors.size() / n; ++k) sum += factors[k * n + i] * factors[k * n + j];
    return sum;
  }
};

// Columns of very different lengths, as those of a covariance matrix are.
Problem random_problem(Random& random, std::size_t n, std::size_t k, double ridge) {
  Problem problem{ridge, n, std::vector<double>(n * k), std::vector<double>(n)};
  for (std::size_t l = 0; l < k; ++l)
    for (std::size_t i = 0; i < n; ++i)
      problem.factors[l * n + i] = (2 * random.uniform() - 1) * std::pow(0.5, static_cast<double>(l));
  for (double& b : problem.target) b = 2 * random.uniform() - 1;
  return problem;
}

// f has a face of the ball for each choice of signs, and its minimum on one of them: the lowest of those that
// lie inside their face. w_A = P_A⁻¹(b_A − τs_A) with τ ≥ 0 such that s_Aᵀw_A = B, or τ = 0.
double lowest_by_faces(const Problem& problem, double radius) {
  const std::size_t n = problem.n;
  double lowest = 0;
  std::size_t faces = 1;
  for (std::size_t i = 0; i < n; ++i) faces *= 3;
  for (std::size_t face = 0; face < faces; ++face) {
    std::vector<std::size_t> active;
    std::vector<double> sign;
    for (std::size_t i = 0, rest = face; i < n; ++i, rest /= 3)
      if (rest % 3 != 0) {
        active.push_back(i);
        sign.push_back(rest % 3 == 1 ? 1 : -1);
      }
    // Gauss without pivoting: P_A is positive definite. Two right sides: b_A and s_A.
    const std::size_t m = active.size();
    std::vector<std::vector<double>> rows(m, std::vector<double>(m + 2));
    for (std::size_t a = 0; a < m; ++a) {
      for (std::size_t b = 0; b < m; ++b) rows[a][b] = problem.p(active[a], active[b]);
      rows[a][m] = problem.target[active[a]];
      rows[a][m + 1] = sign[a];
    }
    for (std::size_t c = 0; c < m; ++c)
      for (std::size_t r = 0; r < m; ++r) {
        if (r == c) continue;
        const double factor = rows[r][c] / rows[c][c];
        for (std::size_t x = c; x < m + 2; ++x) rows[r][x] -= factor * rows[c][x];
      }
    double free_norm = 0;
    double slope = 0;
    for (std::size_t a = 0; a < m; ++a) {
      free_norm += sign[a] * rows[a][m] / rows[a][a];
      slope += sign[a] * rows[a][m + 1] / rows[a][a];
    }
    const double tau = free_norm > radius ? (free_norm - radius) / slope : 0;
    std::vector<double> w(n);
    bool inside = true;
    for (std::size_t a = 0; a < m; ++a) {
      w[active[a]] = (rows[a][m] - tau * rows[a][m + 1]) / rows[a][a];
      inside = inside && w[active[a]] * sign[a] >= 0;
    }
    if (!inside) continue;
    double value = 0;
    for (std::size_t i = 0; i < n; ++i) {
      value -= problem.target[i] * w[i];
      for (std::size_t j = 0; j < n; ++j) value += 0.5 * w[i] * problem.p(i, j) * w[j];
    }
    lowest = std::min(lowest, value);
  }
  return lowest;
}

}  // namespace

TEST_CASE("the minimum is that of the best of all faces") {
  Random random(1);
  L1Ridge solver;
  for (int round = 0; round < 40; ++round) {
    const Problem problem =
        random_problem(random, 1 + random.below(6), random.below(4), std::pow(10, -3 * random.uniform()));
    const double radius = 0.01 + 2 * random.uniform();
    std::vector<double> w(problem.n);
    const L1Ridge::Result result = solver.minimise(problem.quadratic(), radius, w);
    CHECK(result.converged);
    CHECK(l1_norm(w) <= radius);
    CHECK(result.objective == doctest::Approx(lowest_by_faces(problem, radius)).epsilon(1e-9));
  }
}

TEST_CASE("and that of projected gradients where there are many weights, also when ill-conditioned") {
  Random random(2);
  L1Ridge solver;
  for (const double ridge : {1.0, 1e-2, 1e-4}) {
    for (const double radius : {0.1, 1.0, 10.0}) {
      const Problem problem = random_problem(random, 120, 12, ridge);
      PackedSymmetric half(problem.n);
      for (std::size_t i = 0; i < problem.n; ++i)
        for (std::size_t j = i; j < problem.n; ++j) half.at(i, j) = problem.p(i, j) / 2;
      const L1Minimum slow = minimise_on_l1_ball(half, problem.target, radius);
      std::vector<double> w(problem.n);
      const L1Ridge::Result fast = solver.minimise(problem.quadratic(), radius, w);
      CAPTURE(ridge);
      CAPTURE(radius);
      CHECK(fast.converged);
      CHECK(fast.steps <= 40);
      CHECK(fast.gap <= 1e-12 * std::abs(fast.objective));
      CHECK(fast.objective <= slow.objective + 1e-9 * std::abs(slow.objective));
      CHECK(fast.objective >= slow.objective - slow.gap - 1e-12 * std::abs(slow.objective));
      CHECK(l1_norm(w) <= radius);
      // The gap bounds the distance in the strongly convex f.
      for (std::size_t i = 0; slow.stationary && i < problem.n; ++i)
        CHECK(std::abs(w[i] - slow.w[i]) <= 1e-4 * radius);
    }
  }
}

TEST_CASE("a ball that holds the free minimum changes nothing, wherever the search starts") {
  Random random(3);
  const Problem problem = random_problem(random, 30, 6, 0.1);
  L1Ridge solver;
  std::vector<double> w(problem.n);
  CHECK(solver.minimise(problem.quadratic(), 1e6, w).converged);
  for (std::size_t i = 0; i < problem.n; ++i) {  // Pw = b
    double sum = 0;
    for (std::size_t j = 0; j < problem.n; ++j) sum += problem.p(i, j) * w[j];
    CHECK(sum == doctest::Approx(problem.target[i]).epsilon(1e-6));
  }
  std::vector<double> again = w;
  CHECK(solver.minimise(problem.quadratic(), 1e6, again).steps == 0);
  for (std::size_t i = 0; i < problem.n; ++i) CHECK(again[i] == doctest::Approx(w[i]).epsilon(1e-9));
}

TEST_CASE("the same bits from the same start") {
  Random random(4);
  const Problem problem = random_problem(random, 50, 8, 0.01);
  const Problem other = random_problem(random, 40, 9, 0.01);
  L1Ridge solver;
  std::vector<double> first(problem.n);
  std::vector<double> between(other.n);
  std::vector<double> second(problem.n);
  solver.minimise(problem.quadratic(), 1, first);
  solver.minimise(other.quadratic(), 1, between);
  solver.minimise(problem.quadratic(), 1, second);
  CHECK(first == second);
}

}  // namespace l1_ridge_test
