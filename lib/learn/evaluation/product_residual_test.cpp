#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "learn/evaluation/residuals.h"

namespace product_residual_test {

using namespace glimpse;

namespace {

// A prediction that is a sum over attributes and over pairs of them.
struct Terms {
  Terms(std::size_t d, std::uint64_t seed, std::size_t highest = 2)
      : singles(d), pairs(d, std::vector<double>(d)), q(d), highest_(highest) {
    Random random(seed);
    for (std::size_t i = 0; i < d; ++i) {
      singles[i] = random.uniform() - 0.5;
      q[i] = 0.2 + random.uniform();
      for (std::size_t j = 0; j < i; ++j) pairs[i][j] = pairs[j][i] = random.uniform() - 0.5;
    }
    const double sum = std::accumulate(q.begin(), q.end(), 0.0);
    for (double& x : q) x /= sum;
  }
  double all() const {
    double sum = 0;
    for (std::size_t i = 0; i < singles.size(); ++i) {
      sum += singles[i];
      for (std::size_t j = 0; j < i; ++j) {
        sum += pairs[i][j];
        for (std::size_t k = 0; highest_ > 2 && k < j; ++k) sum += triple(k, j, i);
      }
    }
    return sum;
  }
  std::size_t population() const { return q.size(); }
  std::size_t degree() const { return highest_; }
  double single(std::size_t a) const { return singles[a]; }
  double pair(std::size_t a, std::size_t b) const { return pairs[a][b]; }
  double triple(std::size_t a, std::size_t b, std::size_t c) const {
    return 3 * pairs[a][b] * pairs[b][c] * pairs[a][c];
  }
  std::vector<double> singles;
  std::vector<std::vector<double>> pairs;
  std::vector<double> q;

 private:
  std::size_t highest_;
};

// The expectation of the estimate over all orders of `budget` draws without replacement.
double expectation(const Terms& terms, std::size_t budget, double rest) {
  double sum = 0;
  std::vector<Draw> draws;
  const std::function<void(double, double)> go_on = [&](double chance, double left) {
    if (draws.size() == budget) {
      sum += chance * product_squared_error(draws, rest, terms);
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

TEST_CASE("with products of three as well, from six draws on") {
  for (const std::size_t budget : {6, 7})
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Terms terms(7, seed, 3);
      const double rest = 0.3;
      const double error = (terms.all() - rest) * (terms.all() - rest);
      CHECK(expectation(terms, budget, rest) == doctest::Approx(error).epsilon(1e-9));
    }
  CHECK(std::isnan(expectation(Terms(7, 1, 3), 5, 0.1)));
}

TEST_CASE("three draws of more say nothing, and all of two or three say all") {
  const Terms terms(5, 1);
  CHECK(std::isnan(expectation(terms, 3, 0.1)));
  const Terms few(3, 1);
  CHECK(expectation(few, 3, 0.1) == doctest::Approx((few.all() - 0.1) * (few.all() - 0.1)));
}

}  // namespace product_residual_test
