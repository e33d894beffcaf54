#include "learn/linalg/dense_kernels.h"

#include <doctest/doctest.h>
#include <vector>

#include "base/random.h"

namespace glimpse::dense_kernels_test {

namespace {

std::vector<double> numbers(Random& random, std::size_t count) {
  std::vector<double> all(count);
  for (double& x : all) x = random.uniform() - 0.5;
  return all;
}

std::vector<float> symmetric(Random& random, std::size_t n) {
  std::vector<float> matrix(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j)
      matrix[i * n + j] = matrix[j * n + i] = static_cast<float>(random.uniform() - 0.5);
  return matrix;
}

}  // namespace

TEST_CASE("a product by hand") {
  const std::vector<float> matrix{2, 1, 0, 99, 3, -1, 99, 99, 4};  // below the diagonal: not read
  const std::vector<double> x{1, 2, 3};
  for (const DenseKernels* kernels : {&plain_dense_kernels(), &fastest_dense_kernels()}) {
    std::vector<double> y{9, 9, 9};
    kernels->symmetric_product(matrix.data(), 3, x.data(), y.data());
    CHECK(y == std::vector<double>{4, 4, 10});
    CHECK(kernels->dot(x.data(), y.data(), 3) == 42);
    kernels->add(y.data(), 2, x.data(), 3);
    CHECK(y == std::vector<double>{6, 8, 16});
  }
}

TEST_CASE("every processor's kernels give the same numbers to the bit") {
  Random random(17);
  const DenseKernels& plain = plain_dense_kernels();
  const DenseKernels& fastest = fastest_dense_kernels();
  for (const std::size_t n : {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 33, 100, 211}) {
    CAPTURE(n);
    const auto matrix = symmetric(random, n);
    const auto x = numbers(random, n);
    std::vector<double> expected(n);
    std::vector<double> y(n);
    plain.symmetric_product(matrix.data(), n, x.data(), expected.data());
    fastest.symmetric_product(matrix.data(), n, x.data(), y.data());
    CHECK(y == expected);
    CHECK(fastest.dot(x.data(), y.data(), n) == plain.dot(x.data(), y.data(), n));
    plain.add(expected.data(), 0.3, x.data(), n);
    fastest.add(y.data(), 0.3, x.data(), n);
    CHECK(y == expected);
  }
}

}  // namespace glimpse::dense_kernels_test
