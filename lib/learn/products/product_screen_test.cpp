#include "learn/products/product_screen.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "base/random.h"

// The screen of products, its sums by hand.
namespace product_screen_test {

using namespace glimpse;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<double> array(const State& state, const char* name) {
  const auto values = state.get<double>(name, State::kAnyCount);
  REQUIRE(values.has_value());
  return {values->begin(), values->end()};
}

State saved(const ProductScreen& screen) {
  State state;
  state.begin();
  screen.save(state);
  state.finish();
  return state;
}

Plan plan_of(std::vector<Attribute> attributes) {
  Plan plan;
  plan.attributes = std::move(attributes);
  return plan;
}

// K = 20 of `dimension` normal attributes an example; the rest has 3·x_5·x_70, where both are seen or not.
ProductScreen screen_of(std::size_t dimension, std::span<const ProductScreen::Partner> partners,
                        int examples) {
  ProductScreen screen(dimension);
  screen.set_partners(partners);
  Random random(1);
  std::vector<double> x(dimension);
  for (int t = 0; t < examples; ++t) {
    for (double& value : x) value = 2 * random.uniform() - 1;
    Plan plan;
    while (plan.attributes.size() < 20) {
      const auto i = static_cast<Attribute>(random.below(dimension));
      const auto at = std::ranges::lower_bound(plan.attributes, i);
      if (at == plan.attributes.end() || *at != i) plan.attributes.insert(at, i);
    }
    std::vector<double> values;
    for (const Attribute i : plan.attributes) values.push_back(x[i]);
    screen.add(plan, values, 3 * x[5] * x[70] + 0.3 * (random.uniform() - 0.5), 1,
               [](Attribute) { return 0.0; });
  }
  screen.fit();
  return screen;
}

}  // namespace

TEST_CASE("two examples of the screen of products by hand") {
  ProductScreen screen(3);
  const ProductScreen::Partner partner{0, 1};
  screen.set_partners({&partner, 1});
  const auto mean = [](Attribute i) { return i == 0 ? 1.0 : i == 1 ? 2.0 : kNone; };
  // (3 − 1)·(5 − 2) = 6; attribute 2 was never seen before.
  screen.add(plan_of({0, 1, 2}), std::vector<double>{3, 5, 9}, 4, 1, mean);
  // (0 − 1)·(1 − 2) = 1, five less, twice.
  screen.add(plan_of({0, 1}), std::vector<double>{0, 1}, -2, 2, mean);
  // Without the partner nothing is known of products.
  screen.add(plan_of({1}), std::vector<double>{2}, 1, 1, mean);
  const State state = saved(screen);
  // The first value, weight, Σu, Σu², Σv, Σuv, the largest.
  const std::vector<double> none(7, 0.0);
  const auto of = [](const std::vector<double>& sums, std::size_t i) {
    return std::vector<double>(sums.begin() + static_cast<std::ptrdiff_t>(7 * i),
                               sums.begin() + static_cast<std::ptrdiff_t>(7 * i + 7));
  };
  const std::vector<double> products = array(state, "products.screen.0.sums");
  CHECK(of(products, 0) == none);
  CHECK(of(products, 1) == std::vector<double>{6, 3, -10, 50, 0, 20, 6});
  CHECK(of(products, 2) == none);
  // |x − mean| and |rest|: 2 and 1 twice; 3, 1 twice and 0.
  const std::vector<double> magnitudes = array(state, "products.magnitudes.sums");
  CHECK(of(magnitudes, 0) == std::vector<double>{2, 3, -2, 2, 8, -4, 2});
  CHECK(of(magnitudes, 1) == std::vector<double>{3, 4, -7, 17, 9, -11, 3});
  CHECK(of(magnitudes, 2) == none);
  CHECK(array(state, "products.rests") == std::vector<double>{4, 1, 25, 4, 9, 25, 3, 0, 24});
  CHECK(screen.rest_variance() == doctest::Approx(25.0 / 4 - 1.0 / 16));
}

TEST_CASE("of 300 attributes the one whose product with the partner explains something promises most") {
  const ProductScreen::Partner partners[] = {{5, 0}, {9, 0}};
  const ProductScreen screen = screen_of(300, partners, 20000);
  const auto promise = [&](Attribute i) { return screen.estimate(i).weight * screen.estimate(i).explained; };
  CHECK(promise(70) > 20);
  for (Attribute i = 0; i < 300; ++i)
    if (i != 70) CHECK(10 * promise(i) < promise(70));
  CHECK(screen.estimate(70).explained == doctest::Approx(1).epsilon(0.3));
}

TEST_CASE("both factors of a product promise by their magnitudes, without a partner") {
  const ProductScreen screen = screen_of(300, {}, 20000);
  for (Attribute i = 0; i < 300; ++i) {
    const AttributeScreen::Estimate estimate = screen.estimate_of_magnitudes(i);
    CHECK((estimate.weight * estimate.explained > 6) == (i == 5 || i == 70));
    CHECK(screen.estimate(i).explained == 0);
  }
}

TEST_CASE("partners that stay go on, about the centres that they had") {
  const ProductScreen::Partner partners[] = {{5, 0}, {9, 0}};
  ProductScreen screen = screen_of(80, partners, 500);
  const std::vector<double> before = array(saved(screen), "products.screen.0.sums");
  const ProductScreen::Partner next[] = {{2, 7}, {5, 3}};
  screen.set_partners(next);
  const State state = saved(screen);
  CHECK(array(state, "products.screen.1.sums") == before);
  CHECK(array(state, "products.partner_centres") == std::vector<double>{7, 0});
  CHECK(std::ranges::all_of(array(state, "products.screen.0.sums"), [](double x) { return x == 0; }));
  CHECK(screen.has_partner(5));
  CHECK(!screen.has_partner(9));
  screen.forget_attribute(5);
  CHECK(!screen.has_partner(5));
  CHECK(screen.partners() == 1);
}

TEST_CASE("the screen of products is restored to the bit, and forgets as it would have") {
  for (const bool has_partners : {false, true}) {
    const ProductScreen::Partner partners[] = {{5, 0}, {9, 0.5}};
    ProductScreen screen =
        screen_of(80, has_partners ? partners : std::span<const ProductScreen::Partner>(), 500);
    ProductScreen restored(80);
    REQUIRE(restored.restore(saved(screen)).has_value());
    for (ProductScreen* const one : {&screen, &restored}) {
      one->forget(0.5);
      one->decay(0.25);
      one->fit();
    }
    for (Attribute i = 0; i < 80; ++i) {
      CHECK(screen.estimate(i).explained == restored.estimate(i).explained);
      CHECK(screen.estimate_of_magnitudes(i).explained == restored.estimate_of_magnitudes(i).explained);
      CHECK(restored.estimate_of_magnitudes(i).weight == doctest::Approx(500.0 / 4 / 8).epsilon(0.4));
    }
    CHECK(screen.rest_variance() == restored.rest_variance());
  }
}

}  // namespace product_screen_test
