#include "learn/importance/attribute_importance.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

#include "base/random.h"
#include "learn/pairwise/pairwise_solver.h"
#include "stats/pair_moments.h"

namespace attribute_importance_test {

using namespace glimpse;

namespace {

using Matrix = std::vector<std::vector<double>>;

// A⁻¹ by Gauss and Jordan, for positive definite A.
Matrix inverse(Matrix a) {
  const std::size_t d = a.size();
  Matrix b(d, std::vector<double>(d));
  for (std::size_t i = 0; i < d; ++i) b[i][i] = 1;
  for (std::size_t i = 0; i < d; ++i) {
    const double pivot = a[i][i];
    for (std::size_t j = 0; j < d; ++j) {
      a[i][j] /= pivot;
      b[i][j] /= pivot;
    }
    for (std::size_t r = 0; r < d; ++r) {
      const double factor = a[r][i];
      for (std::size_t j = 0; r != i && j < d; ++j) {
        a[r][j] -= factor * a[i][j];
        b[r][j] -= factor * b[i][j];
      }
    }
  }
  return b;
}

std::vector<double> times(const Matrix& a, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += a[i][j] * x[j];
  return y;
}

// Σ θ_k·q_kq_kᵀ with q_k the columns of a reflection: its positive part is that with max(θ_k, 0).
Matrix with_eigenvalues(const std::vector<double>& values, Random& random) {
  const std::size_t d = values.size();
  std::vector<double> v(d);
  double square = 0;
  for (double& x : v) {
    x = random.uniform() - 0.5;
    square += x * x;
  }
  Matrix a(d, std::vector<double>(d));
  for (std::size_t k = 0; k < d; ++k)
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j)
        a[i][j] += values[k] * ((i == k) - 2 * v[i] * v[k] / square) * ((j == k) - 2 * v[j] * v[k] / square);
  return a;
}

std::vector<double> diagonal(const Matrix& a) {
  std::vector<double> x(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) x[i] = a[i][i];
  return x;
}

KrylovSpace space_of(const Matrix& a, const std::vector<double>& b, std::size_t steps) {
  KrylovSpace space;
  space.build(b, steps, [&](std::span<const double> x, std::span<double> y) {
    const std::vector<double> product = times(a, {x.begin(), x.end()});
    std::copy(product.begin(), product.end(), y.begin());
  });
  return space;
}

// Examples in which all attributes were seen, one with each sign of each: nothing is left to chance.
PairSnapshot many_examples(std::size_t dimension) {
  PairMoments moments(dimension);
  std::vector<Attribute> all(dimension);
  for (std::size_t i = 0; i < dimension; ++i) all[i] = static_cast<Attribute>(i);
  Random random(3);
  std::vector<double> x(dimension);
  for (int e = 0; e < 1000; ++e) {
    for (double& value : x) value = random.uniform();
    moments.add(all, x, random.uniform(), 1);
  }
  PairSnapshot snapshot;
  snapshot.take(moments, true);
  return snapshot;
}

// The least J(w) = label − 2wᵀb + wᵀAw where w_out = 0.
double least_error(const Matrix& a, const std::vector<double>& b, std::size_t out, double label) {
  Matrix rest;
  std::vector<double> target;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (i == out) continue;
    target.push_back(b[i]);
    rest.emplace_back();
    for (std::size_t j = 0; j < b.size(); ++j)
      if (j != out) rest.back().push_back(a[i][j]);
  }
  const std::vector<double> w = times(inverse(rest), target);
  double error = label;
  for (std::size_t i = 0; i < w.size(); ++i) error -= w[i] * target[i];
  return error;
}

}  // namespace

TEST_CASE("importances are what refitting without each attribute costs, also where Ĉ is indefinite") {
  Random random(1);
  const std::vector<double> values{3, 1, 0.4, 0.1, -0.2, -0.05};
  std::vector<double> positive(values);
  for (double& x : positive) x = std::max(x, 0.0);
  Random again = random;
  const Matrix c = with_eigenvalues(values, random);
  const double ridge = 0.3;
  Matrix a = with_eigenvalues(positive, again);
  for (std::size_t i = 0; i < a.size(); ++i) a[i][i] += ridge;
  const std::vector<double> b{0.5, -0.2, 0.3, 0.1, 0.4, -0.6};

  const InverseDiagonals fast = inverse_diagonals(space_of(c, b, 60), diagonal(c), ridge);
  const Matrix naive = inverse(a);
  for (std::size_t i = 0; i < b.size(); ++i) {
    CAPTURE(i);
    CHECK(fast.inverse[i] == doctest::Approx(naive[i][i]).epsilon(1e-9));
    double squared = 0;
    for (std::size_t j = 0; j < b.size(); ++j) squared += naive[i][j] * naive[i][j];
    CHECK(fast.squared[i] == doctest::Approx(squared).epsilon(1e-9));
    CHECK(fast.between[i] == doctest::Approx(naive[i][i] - ridge * squared).epsilon(1e-9));
  }

  const std::vector<double> w = times(naive, b);
  const double label = 2;
  double full = label;
  for (std::size_t i = 0; i < b.size(); ++i) full -= w[i] * b[i];
  for (const double shrink : {1.0, 0.25}) {
    const Importances known =
        attribute_importances(many_examples(b.size()), {w, shrink, diagonal(c), full, label}, fast);
    // With weights α·w the error is label − (2α − α²)·wᵀb, with and without the attribute.
    for (std::size_t i = 0; i < b.size(); ++i) {
      const double lost = (2 * shrink - shrink * shrink) * (least_error(a, b, i, label) - full);
      CHECK(known.shares[i] * label == doctest::Approx(lost).epsilon(1e-8));
      CHECK(known.errors[i] > 0);
    }
  }
}

TEST_CASE(
    "outside the Krylov space importances are exact where Ĉ is flat, and hardly ever too small elsewhere") {
  Random random(4);
  std::vector<double> values(40, 0.5);
  values[0] = 9;
  values[1] = 4;
  std::vector<double> b(40);
  for (double& x : b) x = random.uniform() - 0.5;
  for (const bool flat : {true, false}) {
    for (std::size_t k = 2; k < 40 && !flat; ++k) values[k] = 0.1 + 0.02 * static_cast<double>(k);
    Matrix c = with_eigenvalues(values, random);
    const InverseDiagonals fast = inverse_diagonals(space_of(c, b, flat ? 60 : 8), diagonal(c), 0.1);
    for (std::size_t i = 0; i < 40; ++i) c[i][i] += 0.1;
    const Matrix naive = inverse(c);
    for (std::size_t i = 0; i < 40; ++i) {
      CAPTURE(i);
      if (flat) CHECK(fast.inverse[i] == doctest::Approx(naive[i][i]).epsilon(1e-9));
      CHECK(fast.inverse[i] < 1.02 * naive[i][i]);
      CHECK(fast.inverse[i] > 0.8 * naive[i][i]);
    }
  }
}

namespace {

// Correlated attributes of variance 1 that a common part c makes, weights that fall, and noise.
struct Population {
  std::size_t dimension;
  std::size_t budget;
  int examples;

  double weight(std::size_t i) const { return i + 2 < dimension ? 1.0 / static_cast<double>(i + 1) : 0; }
  static constexpr double kCommon = 0.3;
  static constexpr double kNoise = 1;

  PairMoments learn(Random& random) const {
    PairMoments moments(dimension);
    std::vector<double> x(dimension);
    std::vector<Attribute> order(dimension);
    for (std::size_t i = 0; i < dimension; ++i) order[i] = static_cast<Attribute>(i);
    const auto normal = [&] {
      double sum = -6;
      for (int k = 0; k < 12; ++k) sum += random.uniform();
      return sum;
    };
    for (int e = 0; e < examples; ++e) {
      const double common = normal();
      double label = kNoise * normal();
      for (std::size_t i = 0; i < dimension; ++i) {
        x[i] = std::sqrt(kCommon) * common + std::sqrt(1 - kCommon) * normal();
        label += weight(i) * x[i];
      }
      for (std::size_t k = 0; k < budget; ++k) std::swap(order[k], order[k + random.below(dimension - k)]);
      std::vector<Attribute> seen(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(budget));
      std::sort(seen.begin(), seen.end());
      std::vector<double> values;
      for (const Attribute i : seen) values.push_back(x[i]);
      moments.add(seen, values, label, 1);
    }
    return moments;
  }
  double label_variance() const {
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < dimension; ++i) {
      sum += weight(i);
      squares += weight(i) * weight(i);
    }
    return kCommon * sum * sum + (1 - kCommon) * squares + kNoise * kNoise;
  }
  // w_i²·var(x_i | the others), as a share of the label's variance.
  double importance(std::size_t i) const {
    const auto others = static_cast<double>(dimension - 1);
    const double left = 1 - others * kCommon * kCommon / (1 + (others - 1) * kCommon);
    return weight(i) * weight(i) * left / label_variance();
  }
};

// The share of true importances that are within two standard errors.
double coverage(const Population& population, int runs) {
  Random random(11);
  int inside = 0;
  for (int run = 0; run < runs; ++run) {
    PairSnapshot snapshot;
    snapshot.take(population.learn(random), true);
    PairwiseSolver solver;
    Model model;
    solver.solve(snapshot, std::nullopt, model);
    const Importances known = solver.importances(snapshot, model);
    for (std::size_t i = 0; i < population.dimension; ++i)
      inside += std::abs(known.shares[i] - population.importance(i)) <= 2 * known.errors[i] ? 1 : 0;
  }
  return static_cast<double>(inside) / (runs * static_cast<double>(population.dimension));
}

}  // namespace

// Measured with 100 runs each: .955, .958, .949, .977, .965, .945 (d = 8: K = 8 after 2,000 examples, 3 after
// 4,000 and 20,000, 2 after 100,000; d = 30: K = 5 after 20,000 and 100,000). Of 320 and more that are nearly
// independent a share of .95 is below .9 or above .995 in less than one of a thousand tries.
TEST_CASE("two standard errors hold the importance to the true model nineteen times of twenty") {
  for (const Population& population :
       {Population{8, 8, 2000}, Population{8, 3, 4000}, Population{30, 5, 20000}}) {
    CAPTURE(population.dimension);
    CAPTURE(population.budget);
    const double share = coverage(population, population.dimension > 8 ? 15 : 40);
    CHECK(share > 0.9);
    CHECK(share < 0.995);
  }
}

}  // namespace attribute_importance_test
