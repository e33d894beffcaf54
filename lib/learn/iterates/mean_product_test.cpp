#include "learn/iterates/mean_product.h"

#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "base/random.h"

namespace mean_product_test {

using namespace glimpse;

// Means far larger than what they change by, a scale that shrinks and is brought back, against sums over all
// coordinates.
TEST_CASE("a product carried along a long stream is that of weights and means, and so is its average") {
  constexpr std::size_t kSize = 20;
  MeanProduct product;
  std::vector<double> u(kSize);
  std::vector<double> mean(kSize, 1e6);
  double scale = 1;
  long double past = 0;
  Random random(1);
  constexpr int kSteps = 200000;
  for (int t = 0; t < kSteps; ++t) {
    product.count_iterate(scale);
    long double sum = 0;
    for (std::size_t i = 0; i < kSize; ++i) sum += static_cast<long double>(u[i]) * mean[i];
    past += scale * sum;
    const std::size_t i = random.below(kSize);
    product.take_out(u[i], mean[i]);
    mean[i] += random.uniform() - 0.5;
    u[i] += (random.uniform() - 0.5) / scale;
    product.put_in(u[i], mean[i]);
    scale *= 0.999;
    if (scale > 0.5) continue;
    scale *= 2;
    product.clear();
    for (std::size_t j = 0; j < kSize; ++j) product.put_in(u[j] /= 2, mean[j]);
  }
  const auto expected = static_cast<double>(past / kSteps);
  CHECK(product.averaged(scale) == doctest::Approx(expected).epsilon(1e-12));

  State state;
  state.begin();
  product.save(state);
  state.finish();
  MeanProduct restored;
  REQUIRE(restored.restore(state).has_value());
  CHECK(restored.averaged(scale) == product.averaged(scale));

  // Iterates whose weights lost 3·10⁶ in all, about a mean of 5.
  const double before = product.averaged(scale);
  product.take_out_past(3e6, 5);
  CHECK(before - product.averaged(scale) == doctest::Approx(15e6 / kSteps).epsilon(1e-6));

  product.forget();
  double sum = 0;
  for (std::size_t i = 0; i < kSize; ++i) sum += scale * u[i] * mean[i];
  CHECK(product.averaged(scale) == doctest::Approx(sum).epsilon(1e-12));
}

}  // namespace mean_product_test
