#include "learn/linalg/packed_symmetric.h"

#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "base/random.h"

namespace packed_symmetric_test {

using namespace glimpse;

TEST_CASE("the triangle stands for the whole matrix, and multiplies as it") {
  for (const std::size_t n : {1UL, 2UL, 3UL, 4UL, 5UL, 6UL, 9UL, 33UL}) {
    PackedSymmetric a(n);
    std::vector<double> full(n * n);
    Random random(n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i; j < n; ++j) {
        full[i * n + j] = full[j * n + i] = random.uniform() - 0.5;
        a.at(j, i) = full[i * n + j];
      }
    std::vector<double> x(n);
    for (double& value : x) value = random.uniform() - 0.5;
    std::vector<double> y(n, 7.0);
    a.multiply(x, y);
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j) {
        REQUIRE(a.at(i, j) == full[i * n + j]);
        sum += full[i * n + j] * x[j];
      }
      CHECK(std::abs(y[i] - sum) <= 1e-14);
    }
    CHECK(a.cells().size() == n * (n + 1) / 2);
  }
}

}  // namespace packed_symmetric_test
