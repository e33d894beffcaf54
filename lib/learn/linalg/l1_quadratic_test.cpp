#include "learn/linalg/l1_quadratic.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

#include "base/random.h"
#include "learn/linalg/l1_ball.h"

namespace l1_quadratic_test {

using namespace glimpse;

namespace {

struct Problem {
  PackedSymmetric a;
  std::vector<double> b;
};

// A = (1/rows)·Σ z zᵀ over random z, plus `shift` on the diagonal: definite, or with a negative shift not.
Problem random_problem(std::size_t n, std::size_t rows, double shift, std::uint64_t seed) {
  Random random(seed);
  Problem problem{PackedSymmetric(n), std::vector<double>(n)};
  std::vector<double> z(n);
  for (std::size_t row = 0; row < rows; ++row) {
    for (double& value : z) value = 2 * random.uniform() - 1;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i; j < n; ++j) problem.a.at(i, j) += z[i] * z[j] / static_cast<double>(rows);
  }
  for (std::size_t i = 0; i < n; ++i) problem.a.at(i, i) += shift;
  for (double& value : problem.b) value = 2 * random.uniform() - 1;
  return problem;
}

std::vector<double> gradient(const Problem& problem, const std::vector<double>& w) {
  std::vector<double> g(w.size());
  problem.a.multiply(w, g);
  for (std::size_t i = 0; i < w.size(); ++i) g[i] = 2 * g[i] - problem.b[i];
  return g;
}

double objective(const Problem& problem, const std::vector<double>& w) {
  std::vector<double> aw(w.size());
  problem.a.multiply(w, aw);
  double sum = 0;
  for (std::size_t i = 0; i < w.size(); ++i) sum += w[i] * (aw[i] - problem.b[i]);
  return sum;
}

// By how much Karush, Kuhn & Tucker's conditions fail: with μ = max|g|, w_i = 0 or g_i = −μ·sgn(w_i), and μ =
// 0 inside the ball.
double largest_violation(const Problem& problem, const std::vector<double>& w, double radius) {
  const std::vector<double> g = gradient(problem, w);
  double mu = 0;
  for (const double value : g) mu = std::fmax(mu, std::abs(value));
  if (l1_norm(w) < radius * (1 - 1e-9)) return mu;
  double largest = std::fmax(0, l1_norm(w) / radius - 1);
  for (std::size_t i = 0; i < w.size(); ++i)
    largest = std::fmax(largest, std::fmin(std::abs(w[i]), std::abs(g[i] + std::copysign(mu, w[i]))));
  return largest;
}

}  // namespace

TEST_CASE("a diagonal problem has the soft-thresholded solution, inside the ball and on it") {
  // min Σ a_i w_i² − b_i w_i: w_i = sgn(b_i)·max(|b_i| − μ, 0)/(2a_i).
  Problem problem{PackedSymmetric(4), {4, -2, 0.5, 3}};
  const double diagonal[] = {1, 0.5, 2, 3};
  for (std::size_t i = 0; i < 4; ++i) problem.a.at(i, i) = diagonal[i];

  const L1Minimum inside = minimise_on_l1_ball(problem.a, problem.b, 100);
  CHECK(inside.stationary);
  for (std::size_t i = 0; i < 4; ++i) CHECK(std::abs(inside.w[i] - problem.b[i] / (2 * diagonal[i])) <= 1e-8);

  // B = 1.75: μ = 1 gives 3/2, −1, 0, 1/3, too much; μ = 1.5 gives 5/4 + 1/2 + 0 + 1/4 = 2; μ in (1.5, 2):
  // (4 − μ)/2 + (2 − μ) + (3 − μ)/6 = 9/2 − 5μ/3 = 7/4 at μ = 1.65.
  const L1Minimum on = minimise_on_l1_ball(problem.a, problem.b, 1.75);
  CHECK(on.stationary);
  const double expected[] = {2.35 / 2, -0.35, 0, 1.35 / 6};
  for (std::size_t i = 0; i < 4; ++i) CHECK(std::abs(on.w[i] - expected[i]) <= 1e-8);
  double value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value += diagonal[i] * expected[i] * expected[i] - problem.b[i] * expected[i];
  CHECK(on.objective == doctest::Approx(value).epsilon(1e-12));
}

TEST_CASE("definite problems of every radius meet the optimality conditions to 1e-8") {
  for (const std::size_t n : {1UL, 2UL, 10UL, 60UL}) {
    for (const double radius : {0.01, 0.3, 2.0, 20.0, 1000.0}) {
      const Problem problem = random_problem(n, 3 * n, 0.01, n);
      const L1Minimum minimum = minimise_on_l1_ball(problem.a, problem.b, radius);
      CAPTURE(n);
      CAPTURE(radius);
      CHECK(minimum.stationary);
      CHECK(largest_violation(problem, minimum.w, radius) <= 1e-8);
      CHECK(minimum.objective == doctest::Approx(objective(problem, minimum.w)).epsilon(1e-10));
      CHECK(minimum.products <= 2000);
    }
  }
}

TEST_CASE("indefinite problems end stationary, no higher than zero or any vertex, and never go up") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::size_t n = 5 + seed;
    const double radius = seed % 4 == 0 ? 0.2 : static_cast<double>(seed);
    const double shift = seed % 3 == 0 ? -0.2 : seed % 3 == 1 ? -0.5 : -0.05;
    const Problem problem = random_problem(n, n, shift, seed);
    std::vector<double> trace;
    const L1Minimum minimum = minimise_on_l1_ball(problem.a, problem.b, radius, &trace);
    CAPTURE(seed);
    double largest = 0;
    double lowest_vertex = 0;
    double largest_b = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) largest = std::fmax(largest, std::abs(problem.a.at(i, j)));
      largest_b = std::fmax(largest_b, std::abs(problem.b[i]));
      for (const double side : {-radius, radius}) {
        std::vector<double> vertex(n);
        vertex[i] = side;
        lowest_vertex = std::fmin(lowest_vertex, objective(problem, vertex));
      }
    }
    const double scale = radius * largest_b + radius * radius * largest;
    CHECK(minimum.stationary);
    const std::vector<double> g = gradient(problem, minimum.w);
    double gap = 0;
    double steepest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      gap += g[i] * minimum.w[i];
      steepest = std::fmax(steepest, std::abs(g[i]));
    }
    CHECK(gap + radius * steepest <= 1.02e-12 * scale);
    CHECK(l1_norm(minimum.w) <= radius * (1 + 1e-13));
    CHECK(objective(problem, minimum.w) <= lowest_vertex + 1e-14 * scale);
    REQUIRE(trace.size() >= 1);
    for (std::size_t k = 1; k < trace.size(); ++k) REQUIRE(trace[k] <= trace[k - 1] + 1e-14 * scale);
    CHECK(std::abs(trace.back() - minimum.objective) <= 1e-14 * scale);
  }
}

// Matrices as the Baseline estimates them, where the way along a face may be long and nearly flat: rounding
// error in the direction would be carried far out of the ball, and f go up where it is brought back.
TEST_CASE("problems estimated from pairs end stationary and never go up either") {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const std::size_t n = 10 + seed % 2 * 10;
    constexpr int kExamples = 1000;
    Random random(seed);
    Problem problem{PackedSymmetric(n), std::vector<double>(n)};
    std::vector<double> x(n);
    for (int t = 0; t < kExamples; ++t) {
      const double common = random.uniform();
      for (double& value : x) value = 0.3 * common + 0.7 * random.uniform();
      const double y = x[0] - x[n / 2];
      const auto scale = static_cast<double>(n) / (2.0 * kExamples);
      const std::size_t i = random.below(n);
      const std::size_t j = random.below(n);
      problem.a.at(i, j) += (i == j ? 2 : 1) * scale * static_cast<double>(n) * x[i] * x[j];
      problem.b[i] += 2 * y * scale * x[i];
      problem.b[j] += 2 * y * scale * x[j];
    }
    std::vector<double> trace;
    const L1Minimum minimum = minimise_on_l1_ball(problem.a, problem.b, 1, &trace);
    CAPTURE(seed);
    CHECK(minimum.stationary);
    CHECK(l1_norm(minimum.w) <= 1 + 1e-13);
    trace.push_back(objective(problem, minimum.w));
    for (std::size_t k = 1; k < trace.size(); ++k) REQUIRE(trace[k] <= trace[k - 1] + 1e-13);
  }
}

TEST_CASE("a concave problem ends at the best vertex, and nothing at all at zero") {
  Problem problem{PackedSymmetric(3), {0, 0.5, 0}};
  problem.a.at(0, 0) = -1;
  problem.a.at(1, 1) = -2;
  problem.a.at(2, 2) = -2.1;
  const L1Minimum minimum = minimise_on_l1_ball(problem.a, problem.b, 2);
  CHECK(minimum.w == std::vector<double>{0, 2, 0});  // −8 − 1 against −8.4
  CHECK(minimum.objective == doctest::Approx(-9));

  const PackedSymmetric zero(3);
  const L1Minimum nothing = minimise_on_l1_ball(zero, std::vector<double>(3), 1);
  CHECK(nothing.w == std::vector<double>{0, 0, 0});
  CHECK(nothing.stationary);
}

TEST_CASE("the same problem gives the same bits") {
  const Problem problem = random_problem(40, 20, -0.1, 3);
  CHECK(minimise_on_l1_ball(problem.a, problem.b, 3).w == minimise_on_l1_ball(problem.a, problem.b, 3).w);
}

// Powers of two take no digit, so the scaled problem's minimum is the scaled minimum to the bit.
TEST_CASE("problems as small and as large as doubles get have the minimum of the same problem at size one") {
  struct Scale {
    int a;
    int b;
    int radius;
  };
  for (const double shift : {0.01, -0.3}) {
    const Problem problem = random_problem(12, 24, shift, 8);
    std::vector<double> expected_trace;
    const L1Minimum expected = minimise_on_l1_ball(problem.a, problem.b, 1.5, &expected_trace);
    REQUIRE(expected.stationary);
    REQUIRE(expected.gap >= 0);
    // w ~ 2^radius, and A·w ~ b; the last one's objective is below the smallest double.
    for (const Scale scale :
         {Scale{-1000, -1000, 0}, Scale{900, 900, 0}, Scale{-960, -990, -30}, Scale{900, 0, -900},
          Scale{-900, -500, 400}, Scale{-1000, -500, 500}, Scale{0, -900, -900}}) {
      CAPTURE(scale.a);
      CAPTURE(scale.radius);
      Problem scaled = random_problem(12, 24, shift, 8);
      for (double& value : scaled.a.cells()) value = std::ldexp(value, scale.a);
      for (double& value : scaled.b) value = std::ldexp(value, scale.b);
      std::vector<double> trace;
      const L1Minimum minimum =
          minimise_on_l1_ball(scaled.a, scaled.b, std::ldexp(1.5, scale.radius), &trace);
      CHECK(minimum.stationary);
      CHECK(minimum.objective == std::ldexp(expected.objective, scale.b + scale.radius));
      CHECK(minimum.gap == std::ldexp(expected.gap, scale.b + scale.radius));
      for (std::size_t i = 0; i < 12; ++i) CHECK(minimum.w[i] == std::ldexp(expected.w[i], scale.radius));
      CHECK(trace.back() == std::ldexp(expected_trace.back(), scale.b + scale.radius));
    }
  }
}

TEST_CASE("a minimum that no double can hold is not called stationary") {
  PackedSymmetric a(1);
  a.at(0, 0) = -1e300;
  const L1Minimum minimum = minimise_on_l1_ball(a, std::vector<double>{1}, 1e10);
  CHECK(minimum.w == std::vector<double>{1e10});
  CHECK(std::isinf(minimum.objective));
  CHECK_FALSE(minimum.stationary);
}

TEST_CASE("numbers too small to have all their digits still give a finite point of the ball") {
  for (const double size : {1e-305, 1e-315, 5e-324}) {
    Problem problem{PackedSymmetric(3), {size, -size, 0}};
    problem.a.at(0, 0) = size;
    problem.a.at(0, 1) = -size;
    problem.a.at(2, 2) = -size;
    for (const double radius : {1e-300, 1.0, 1e30}) {
      const L1Minimum minimum = minimise_on_l1_ball(problem.a, problem.b, radius);
      CHECK(minimum.stationary);
      CHECK(l1_norm(minimum.w) <= radius * (1 + 1e-13));
      CHECK(l1_norm(minimum.w) > 0.9 * radius);  // f falls to the sphere
    }
  }
}

}  // namespace l1_quadratic_test
