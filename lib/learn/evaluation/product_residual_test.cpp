#include "learn/evaluation/product_residual.h"

#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <numeric>
#include <vector>

#include "base/random.h"

namespace product_residual_test {

using namespace glimpse;

namespace {

// A prediction that is a sum over attributes and over pairs of them.
struct Terms {
  explicit Terms(std::size_t d, std::uint64_t seed) : single(d), pair(d, std::vector<double>(d)), q(d) {
    Random random(seed);
    for (std::size_t i = 0; i < d; ++i) {
      single[i] = random.uniform() - 0.5;
      q[i] = 0.2 + random.uniform();
      for (std::size_t j = 0; j < i; ++j) pair[i][j] = pair[j][i] = random.uniform() - 0.5;
    }
    const double sum = std::accumulate(q.begin(), q.end(), 0.0);
    for (double& x : q) x /= sum;
  }
  double all() const {
    double sum = 0;
    for (std::size_t i = 0; i < single.size(); ++i) {
      sum += single[i];
      for (std::size_t j = 0; j < i; ++j) sum += pair[i][j];
    }
    return sum;
  }
  std::vector<double> single;
  std::vector<std::vector<double>> pair;
  std::vector<double> q;
};

// The expectation of the estimate over all orders of `budget` draws without replacement.
double expectation(const Terms& terms, std::size_t budget, double rest) {
  double sum = 0;
  std::vector<Draw> draws;
  const std::function<void(double, double)> go_on = [&](double chance, double left) {
    if (draws.size() == budget) {
      sum += chance * product_squared_error(
                          draws, terms.q.size(), rest, [&](std::size_t a) { return terms.single[a]; },
                          [&](std::size_t a, std::size_t b) { return terms.pair[a][b]; });
      return;
    }
    for (std::uint32_t i = 0; i < terms.q.size(); ++i) {
      bool is_drawn = false;
      for (const Draw& draw : draws) is_drawn = is_drawn || draw.position == i;
      if (is_drawn) continue;
      draws.push_back({i, left / terms.q[i]});
      go_on(chance * terms.q[i] / left, left - terms.q[i]);
      draws.pop_back();
    }
  };
  go_on(1, 1);
  return sum;
}

}  // namespace

TEST_CASE("over all draws the estimate is the squared error of attributes and pairs") {
  for (const std::size_t budget : {4, 5, 6})
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Terms terms(6, seed);
      const double rest = 0.3;
      const double error = (terms.all() - rest) * (terms.all() - rest);
      CHECK(expectation(terms, budget, rest) == doctest::Approx(error).epsilon(1e-9));
    }
}

TEST_CASE("three draws of more say nothing, and all of two or three say all") {
  const Terms terms(5, 1);
  CHECK(std::isnan(expectation(terms, 3, 0.1)));
  const Terms few(3, 1);
  CHECK(expectation(few, 3, 0.1) == doctest::Approx((few.all() - 0.1) * (few.all() - 0.1)));
}

}  // namespace product_residual_test
