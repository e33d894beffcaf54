#include <algorithm>
#include <doctest/doctest.h>
#include <numeric>
#include <vector>

#include <Eigen/Cholesky>

#include "base/random.h"
#include "learn/small_models/attribute_choice.h"

namespace forward_selection_test {

using namespace glimpse;

namespace {

constexpr std::size_t kFeatures = 9;

// A positive definite matrix of kFeatures features, as solutions have them, and a target.
struct Problem {
  explicit Problem(std::uint64_t seed) : cells(kFeatures * kFeatures), target(kFeatures) {
    Random random(seed);
    Eigen::MatrixXd factors(kFeatures, kFeatures + 3);
    for (Eigen::Index i = 0; i < factors.size(); ++i) factors.data()[i] = random.uniform() - 0.5;
    const Eigen::MatrixXd product = factors * factors.transpose();
    for (std::size_t i = 0; i < kFeatures; ++i) {
      target[i] = random.uniform() - 0.5;
      for (std::size_t j = i; j < kFeatures; ++j)
        cells[i * kFeatures + j] =
            static_cast<float>(product(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
    }
  }
  // b̂_FᵀA_FF⁻¹b̂_F.
  double explained(std::vector<std::size_t> subset) const {
    const auto k = static_cast<Eigen::Index>(subset.size());
    Eigen::MatrixXd a(k, k);
    Eigen::VectorXd b(k);
    for (Eigen::Index x = 0; x < k; ++x) {
      const std::size_t i = subset[static_cast<std::size_t>(x)];
      b[x] = target[i];
      for (Eigen::Index y = 0; y < k; ++y) {
        const std::size_t j = subset[static_cast<std::size_t>(y)];
        a(x, y) = static_cast<double>(cells[std::min(i, j) * kFeatures + std::max(i, j)]);
      }
      a(x, x) += kRidge;
    }
    return b.dot(a.ldlt().solve(b));
  }

  static constexpr double kRidge = 0.125;
  std::vector<float> cells;
  std::vector<double> target;
};

std::vector<std::size_t> without(std::vector<std::size_t> set, std::size_t i) {
  std::erase(set, i);
  return set;
}

}  // namespace

TEST_CASE("a gain is what a matrix of one feature more explains, also of several features together") {
  const Problem problem(1);
  ForwardSelection selection(problem.cells, problem.target, 100, Problem::kRidge);
  std::vector<std::size_t> chosen;
  for (const std::size_t next : {4, 0, 7, 2}) {
    const double before = chosen.empty() ? 0 : problem.explained(chosen);
    for (std::size_t i = 0; i < kFeatures; ++i) {
      if (std::ranges::find(chosen, i) != chosen.end()) continue;
      std::vector<std::size_t> more = chosen;
      more.push_back(i);
      CHECK(selection.gain(i) == doctest::Approx(problem.explained(more) - before).epsilon(1e-6));
    }
    if (chosen.size() == 2) {
      const std::vector<std::size_t> three{1, 5, 8};
      std::vector<std::size_t> more = chosen;
      more.insert(more.end(), three.begin(), three.end());
      // Blocks have a little more on their diagonals.
      CHECK(selection.gain(three) == doctest::Approx(problem.explained(more) - before).epsilon(0.08));
      CHECK(selection.gain(three) < problem.explained(more) - before);
    }
    selection.add(next);
    chosen.push_back(next);
    CHECK(selection.left() == doctest::Approx(100 - problem.explained(chosen)).epsilon(1e-9));
    CHECK(selection.gain(next) == 0);
  }
}

TEST_CASE("a matrix that is no covariance gives no gain beyond what is left of the label") {
  const std::vector<float> cells{1, 2, 0, 1};  // eigenvalues −1 and 3
  const std::vector<double> target{1, -1};
  ForwardSelection selection(cells, target, 0.75, 0);
  CHECK(selection.gain(0) == 0.75);
  selection.add(0);
  CHECK(selection.left() < 1e-12);
  CHECK(selection.gain(1) < 1e-12);
}

TEST_CASE("what goes costs what a matrix without it explains less") {
  const Problem problem(2);
  std::vector<std::size_t> left(kFeatures);
  std::iota(left.begin(), left.end(), std::size_t{0});
  BackwardElimination elimination(problem.cells, problem.target, Problem::kRidge, left);
  CHECK(elimination.explained() == doctest::Approx(problem.explained(left)).epsilon(1e-9));
  for (const std::size_t next : {3, 8, 1, 0}) {
    const double now = problem.explained(left);
    for (const std::size_t i : left)
      CHECK(elimination.rise(std::vector{i}) ==
            doctest::Approx(now - problem.explained(without(left, i))).epsilon(1e-6));
    const std::vector<std::size_t> two{left[left.size() - 1], left[left.size() - 2]};
    CHECK(elimination.rise(two) ==
          doctest::Approx(now - problem.explained(without(without(left, two[0]), two[1]))).epsilon(1e-6));
    elimination.remove(std::vector{next});
    left = without(left, next);
  }
}

}  // namespace forward_selection_test
