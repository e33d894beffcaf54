#include <cmath>
#include <doctest/doctest.h>

#include "base/random.h"
#include "learn/evaluation/model_guard.h"

namespace product_guard_test {

using namespace glimpse;

namespace {

State saved(const ProductGuard& guard) {
  State state;
  state.begin();
  guard.save(state);
  state.finish();
  return state;
}

}  // namespace

TEST_CASE("products are withheld where they are worse for certain, until they are better again") {
  ProductGuard guard;
  Random random(1);
  const auto add = [&](int examples, double excess) {
    for (int t = 0; t < examples; ++t) guard.add(1 + excess + 4 * (random.uniform() - 0.5), 1);
  };
  add(31, 5);
  CHECK_FALSE(guard.withholds());  // too few
  add(1, 5);
  CHECK(guard.withholds());
  guard.begin();  // another model is judged: it begins as the one before ended
  CHECK(guard.withholds());
  add(400, -0.5);
  CHECK_FALSE(guard.withholds());
  add(40, 0.3);
  CHECK_FALSE(guard.withholds());  // within three standard errors
  CHECK_FALSE(guard.add(NAN, 1));
  guard.clear();
  CHECK_FALSE(guard.withholds());
}

TEST_CASE("products whose errors differ by rounding alone are not withheld") {
  ProductGuard guard;
  for (int t = 0; t < 100; ++t) guard.add(1e18 + 128, 1e18);
  CHECK_FALSE(guard.withholds());
}

TEST_CASE("a product guard is saved and restored, and nothing is where there is nothing") {
  ProductGuard guard;
  CHECK(saved(guard).tensors().empty());
  for (int t = 0; t < 40; ++t) guard.add(3 + t % 2, 1);
  REQUIRE(guard.withholds());
  ProductGuard restored;
  REQUIRE(restored.restore(saved(guard)).has_value());
  CHECK(restored.withholds());
  for (int t = 0; t < 200; ++t) CHECK(guard.add(0.5, 1) == restored.add(0.5, 1));
  State bad;
  bad.begin();
  bad.put_copy<double>("products.guard", std::vector<double>{1, -1, 0, 0});
  bad.finish();
  CHECK_FALSE(restored.restore(bad).has_value());
}

TEST_CASE("products that nobody has judged yet may be withheld from the beginning") {
  ProductGuard guard(true);
  CHECK(guard.withholds());
  CHECK(saved(guard).tensors().empty());
  for (int t = 0; t < 31; ++t) guard.add(0.5 + t % 2 * 0.1, 1);
  CHECK(guard.withholds());
  CHECK(guard.add(0.5, 1));
  CHECK_FALSE(guard.withholds());
  ProductGuard restored(true);
  REQUIRE(restored.restore(saved(guard)).has_value());
  CHECK_FALSE(restored.withholds());
  guard.begin();
  REQUIRE(restored.restore(saved(guard)).has_value());
  CHECK_FALSE(restored.withholds());
  guard.clear();
  CHECK(guard.withholds());
}

}  // namespace product_guard_test
