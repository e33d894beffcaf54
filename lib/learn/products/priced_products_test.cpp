#include <algorithm>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <memory>
#include <vector>

#include "learn/core/model_products.h"
#include "learn/costs_test_support.h"
#include "learn/draws/priced_sets.h"
#include "learn/evaluation/past_models.h"
#include "learn/factory.h"
#include "learn/products/product_solver.h"
#include "learn/products/product_test_support.h"

// Products under a limit of cost that leaves few draws free of it.
namespace priced_products_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

// Prices of magnitudes that differ by e^spread, and money for `free` of the dearest.
LearnerOptions priced(std::size_t degree, std::size_t free, double spread, std::uint64_t seed = 1) {
  LearnerOptions options = product_options(degree < 3 ? 5 : 7);
  options.products = degree;
  Random random(seed);
  std::vector<Money> prices(kAttributes);
  for (Money& price : prices) price = static_cast<Money>(1e6 * std::exp(spread * (2 * random.uniform() - 1)));
  options.prices = prices_of(prices);
  std::ranges::sort(prices, std::greater<>());
  Money limit = 0;
  for (std::size_t k = 0; k < free; ++k) limit += prices[k];
  options.budget_cost = limit;
  return options;
}

// Lognormal attributes with a common factor, of a linear label: where products of the linear streams harm.
struct Heavy {
  explicit Heavy(std::uint64_t seed) : random(seed) {}
  void next() {
    const double common = normal();
    label = 0.3 * normal();
    for (std::size_t i = 0; i < kAttributes; ++i) {
      x[i] = std::exp(0.7 * (common + normal()));
      label += (i % 2 == 0 ? 0.5 : -0.3) * x[i];
    }
  }
  double normal() {
    double sum = -6;
    for (int k = 0; k < 12; ++k) sum += random.uniform();
    return sum;
  }
  std::vector<Entry> entries() const {
    std::vector<Entry> result;
    for (Attribute i = 0; i < kAttributes; ++i) result.push_back({i, x[i]});
    return result;
  }
  Random random;
  std::vector<double> x = std::vector<double>(kAttributes);
  double label = 0;
};

}  // namespace

TEST_CASE("plans that show products whole stay within the limit and the budget, whatever is available") {
  int together = 0;
  int plans = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const std::size_t degree = seed % 3 == 0 ? 3 : 2;
    const LearnerOptions options = priced(degree, 2 + seed % 3, static_cast<double>(seed % 4), seed);
    if (!validate(options)) continue;
    auto learner = make_learner(options).value();
    Stream stream(seed);
    Random random(seed);
    Plan plan;
    for (int t = 0; t < 6000; ++t, ++plans) {
      stream.next();
      std::vector<Attribute> available;
      for (Attribute i = 0; i < kAttributes; ++i) available.push_back(i);
      if (t % 4 == 3) available = random_available(kAttributes, random);
      if (t % 4 != 3) learner->plan(random, plan);
      if (t % 4 == 3 && !learner->plan_among(random, available, plan)) continue;
      REQUIRE(cost_of(*options.prices, plan) <= *options.budget_cost);
      REQUIRE(plan.attributes.size() <= options.budget);
      REQUIRE(std::ranges::adjacent_find(plan.attributes, std::greater_equal<>()) == plan.attributes.end());
      REQUIRE(std::ranges::includes(available, plan.attributes));
      if (!plan.data_point.empty()) {
        ++together;
        REQUIRE(plan.inner_product.size() >= std::min<std::size_t>(2, plan.population));
        REQUIRE(plan.data_point.size() + plan.inner_product.size() <= plan.attributes.size());
      }
      learner->learn(plan, reveal(plan, stream.x), stream.label, 1);
    }
  }
  CHECK(together > plans / 20);
}

// Where the money does not pay for any two others, it is of the prediction with the dear ones at their means.
TEST_CASE("what such plans tell of a model with products is unbiased") {
  for (const std::size_t degree : {2, 3})
    for (const bool has_dear : {false, true}) {
      LearnerOptions options = product_options(6);
      options.prices = prices_of({3, 1, 2, 2, 1, has_dear ? Money{5} : 2, 2, 1});
      options.budget_cost = 7;
      PricedSets sets(options);
      sets.plan([](std::size_t i) { return 1.0 + static_cast<double>(i % 3); });
      const std::vector<Attribute> certain{1, 4};
      sets.show_together(certain);
      Model model;
      model.products = ProductSlots(kAttributes, degree);
      model.weights.assign(model.products.all(), 0.0);
      model.centres.assign(kAttributes, 0.25);
      for (std::size_t i = 0; i < kAttributes; ++i) model.weights[i] = 0.5 + static_cast<double>(i);
      model.weights[model.products.of(1, 1)] = 2;
      model.weights[model.products.of(1, 4)] = -3;
      if (degree > 2) model.weights[model.products.of(1, 4, 4)] = 4;
      const std::vector<double> centre(model.weights.size(), 0.125);
      PastModel judged = past_model(model, centre, 100);
      judged.linear = std::make_shared<PastModel>(judged);
      PastModel other = judged;
      other.weights[model.products.of(2, 2)] = 1;
      PastModels models(kAttributes, PastModels::Draws::kDistinct);
      Stream stream(3);
      stream.next();
      std::vector<double> shown = stream.x;
      if (has_dear) shown[5] = 0.125;
      double truth = model.bias - stream.label;
      for (std::size_t i = 0; i < kAttributes; ++i) truth += model.weights[i] * shown[i];
      truth +=
          sum_of_products(model, [&](Attribute i) { return shown[i]; }, [](std::uint32_t) { return 0.0; });
      double sum = 0;
      double squares = 0;
      double count = 0;
      Random random(4);
      AttributeSet drawn(kAttributes);
      Plan plan;
      while (count < 20000) {
        plan.clear();
        drawn.clear();
        sets.draw(random, drawn, plan);
        if (plan.data_point.empty()) continue;
        REQUIRE(plan.population == (has_dear ? 5 : 6));
        drawn.take_all(plan.attributes);
        for (auto* draws : {&plan.data_point, &plan.inner_product})
          for (Draw& draw : *draws) {
            const auto at = std::ranges::find(plan.attributes, draw.position);
            REQUIRE(at != plan.attributes.end());
            draw.position = static_cast<std::uint32_t>(at - plan.attributes.begin());
          }
        const double error = models.squared_error(judged, plan, reveal(plan, stream.x), stream.label);
        REQUIRE(std::isfinite(error));
        // Products of others than these are not told of.
        CHECK(std::isnan(models.squared_error(other, plan, reveal(plan, stream.x), stream.label)));
        sum += error;
        squares += error * error;
        ++count;
      }
      const double mean = sum / count;
      CHECK(std::abs(mean - truth * truth) < 4 * std::sqrt((squares / count - mean * mean) / count));
    }
}

TEST_CASE("products never harm where few draws are free, or none" * doctest::test_suite("repeats")) {
  for (const std::size_t degree : {2, 3})
    for (const std::size_t free : {1, 2, 3, 4, 5})
      for (const double spread : {0.0, 1.0, 3.0}) {
        const LearnerOptions with = priced(degree, free, spread, free);
        if (!validate(with)) continue;
        LearnerOptions without = with;
        without.products = 0;
        double losses[2] = {0, 0};
        for (std::uint64_t seed = 1; seed <= 4; ++seed)
          for (const bool has : {false, true}) {
            auto learner = make_learner(has ? with : without).value();
            Heavy stream(seed);
            Random random(seed + 10);
            learn(*learner, stream, random, 4000);
            losses[has ? 1 : 0] += loss_of(*learner, stream, 1000);
          }
        CAPTURE(degree);
        CAPTURE(free);
        CAPTURE(spread);
        CHECK(losses[1] <= 1.02 * losses[0]);
      }
}

TEST_CASE("products pay where only two or three draws are free") {
  for (const std::size_t free : {2, 3}) {
    const LearnerOptions with = priced(2, free, 0);
    LearnerOptions without = with;
    without.products = 0;
    auto learner = make_learner(with).value();
    auto linear = make_learner(without).value();
    Stream stream(1);
    Stream same(1);
    Random random(2);
    Random draws(2);
    learn(*learner, stream, random, 12000);
    learn(*linear, same, draws, 12000);
    CHECK(loss_of(*learner, stream, 1000) < 0.7 * loss_of(*linear, same, 1000));
  }
}

TEST_CASE("under a limit products are withheld until they were judged") {
  LearnerOptions options = priced(2, 3, 0);
  auto learner = make_learner(options).value();
  Stream stream(1);
  Random random(2);
  bool withheld = false;
  for (int t = 0; t < 12000; ++t) {
    learn(*learner, stream, random, 1);
    if (learner->describe().expansion->products == 0) continue;
    const auto model = learner->shared_model();
    withheld = withheld || count_products(*model) == 0;
  }
  CHECK(withheld);
  CHECK(count_products(*learner->shared_model()) > 0);
}

TEST_CASE("where the limit has a say everything goes on to the bit after a restart") {
  const LearnerOptions options = priced(2, 3, 1);
  for (const int before : {100, 1500, 4000, 7000}) {
    check_goes_on(options, Stream(1), before, 5000);
  }
}

TEST_CASE("of products those with the most evidence are taken whose attributes can be bought together") {
  const auto prices = prices_of({5, 1, 1, 3});
  const ProductSlots slots(4, 2);
  const JointLimit limit{prices, 5, 3};
  const auto number = [&](std::uint32_t i, std::uint32_t j) { return slots.of(i, j) - 4; };
  std::vector<double> evidence(slots.all() - 4);
  evidence[number(1, 2)] = -9;
  evidence[number(0, 1)] = 8;  // 7 together with the first
  evidence[number(2, 3)] = 7;
  evidence[number(3, 3)] = 6;
  const std::vector<std::size_t> products{number(0, 1), number(1, 2), number(2, 3), number(3, 3)};
  CHECK(limit.within(slots, products, evidence) ==
        std::vector<std::size_t>{number(1, 2), number(2, 3), number(3, 3)});
  CHECK(JointLimit{prices, 5, 2}.within(slots, products, evidence) == std::vector<std::size_t>{number(1, 2)});
}

}  // namespace priced_products_test
