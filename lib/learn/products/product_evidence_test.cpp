#include "learn/products/product_evidence.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

#include "base/random.h"
#include "learn/products/product_sums.h"
#include "learn/solver/pairwise_solver.h"

namespace product_evidence_test {

using namespace glimpse;

namespace {

constexpr std::size_t kDimension = 8;
constexpr std::size_t kBudget = 5;

double normal(Random& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(2 * M_PI * random.uniform());
}

// What the products of a stream say; `label` of its attributes.
template <class Label>
std::vector<double> evidence_of(std::uint64_t seed, int examples, double common, const Label& label) {
  Random random(seed);
  const ProductSlots slots(kDimension, 2);
  ProductSums sums(slots);
  PairMoments linear(kDimension);
  Plan plan;
  for (int t = 0; t < examples; ++t) {
    std::vector<double> x(kDimension);
    const double factor = common * normal(random);
    for (double& value : x) value = factor + normal(random);
    plan.attributes.clear();
    while (plan.attributes.size() < kBudget) {
      const auto i = static_cast<Attribute>(random.below(kDimension));
      if (std::ranges::find(plan.attributes, i) == plan.attributes.end()) plan.attributes.push_back(i);
    }
    std::ranges::sort(plan.attributes);
    std::vector<double> values;
    for (const Attribute i : plan.attributes) values.push_back(x[i]);
    const double y = label(x, random);
    sums.set_centres(linear, plan, values, false);
    sums.add(plan, values, y, 1, 0);
    linear.add(plan.attributes, values, y, 1);
  }
  PairSnapshot attributes;
  attributes.take(linear, true);
  PairSnapshot features;
  features.take(sums.moments(), true);
  PairwiseSolver solver;
  Model model;
  solver.solve(attributes, std::nullopt, model);
  return product_evidence(features, slots, model.weights, solver.expected_error(model));
}

}  // namespace

TEST_CASE(
    "where a line explains the labels, nothing is significant, with noise or without, correlated or not") {
  int found = 0;
  for (const double noise : {0.1, 3.0})
    for (const double common : {0.0, 1.0})
      for (std::uint64_t seed = 1; seed <= 25; ++seed) {
        const auto deviates =
            evidence_of(seed, 2000, common, [&](const std::vector<double>& x, Random& random) {
              return x[0] - x[1] + 2 * x[2] + noise * normal(random);
            });
        found += significant(deviates, 0.001, 0.1).empty() ? 0 : 1;
      }
  CHECK(found == 0);  // of 100, where 0.1 are expected at most
}

TEST_CASE("a product and a square are found, and little else") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto deviates = evidence_of(seed, 2000, 0, [](const std::vector<double>& x, Random& random) {
      return x[0] + x[1] * x[2] + x[3] * x[3] + 0.3 * normal(random);
    });
    const auto found = significant(deviates, 0.001, 0.1);
    const ProductSlots slots(kDimension, 2);
    for (const std::uint32_t slot : {slots.of(1, 2), slots.of(3, 3)})
      CHECK(std::ranges::binary_search(found, slot - kDimension));
    CHECK(found.size() <= 4);
  }
}

TEST_CASE("what is significant: the gate first, then the share that chance would give") {
  const std::vector<double> deviates{0.1, -4.5, 2.9, -0.3, 2.2, 0.4, -0.2, 0.6, 1.1, 0.8};
  // Chances of 7e-6, .0037, .028 and more; ten of them.
  CHECK(significant(deviates, 0.001, 0.1) == std::vector<std::size_t>{1, 2, 4});
  CHECK(significant(deviates, 0.001, 0.05) == std::vector<std::size_t>{1, 2});
  CHECK(significant(deviates, 0.00001, 0.1).empty());
  CHECK(significant(std::vector<double>{}, 0.001, 0.1).empty());
  CHECK(significant(std::vector<double>(5), 0.001, 0.1).empty());
}

TEST_CASE("products that were hardly seen, or do not vary, say nothing") {
  const auto none = evidence_of(1, 2, 0, [](const std::vector<double>&, Random&) { return 1.0; });
  CHECK(std::ranges::all_of(none, [](double z) { return z == 0; }));
}

}  // namespace product_evidence_test
