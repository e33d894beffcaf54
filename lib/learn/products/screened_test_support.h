#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "learn/core/model_products.h"
#include "learn/products/product_test_support.h"
#include "learn/products/screened_products.h"

// Of products of pairwise-screened: 24 of 200 attributes are active.
namespace glimpse::test::wide {

inline constexpr std::size_t kMany = 200;
inline constexpr std::size_t kActive = 24;

inline LearnerOptions screened(std::size_t degree = 2) {
  LearnerOptions options;
  options.algorithm = "pairwise-screened";
  options.dimension = kMany;
  options.budget = 12;
  options.products = degree;
  options.active = kActive;
  return options;
}

// Attribute 48 explains nothing but in the product with 3.
struct Wide {
  explicit Wide(std::uint64_t seed) : random(seed) {}
  void next() {
    for (double& value : x) value = 2 * random.uniform() - 1;
    label = (is_linear ? 2 * x[3] + x[37] : 0) + 0.2 * (random.uniform() - 0.5);
    if (has_products) label += 5 * x[3] * x[48];
    if (has_triples) label += 8 * x[3] * x[37] * x[48];
    for (double& value : x) value = offset + size * value;
  }
  std::vector<Entry> entries() const {
    std::vector<Entry> result;
    for (Attribute i = 0; i < kMany; ++i) result.push_back({i, x[i]});
    return result;
  }
  Random random;
  bool is_linear = true;
  bool has_products = true;
  bool has_triples = false;
  double offset = 3;
  double size = 1;
  std::vector<double> x = std::vector<double>(kMany);
  double label = 0;
};

inline const ScreenedProducts& as_screened(const Learner& learner) {
  return dynamic_cast<const ScreenedProducts&>(learner);
}

inline std::set<std::set<Attribute>> products_of_model(const Model& model) {
  std::set<std::set<Attribute>> result;
  for_each_product(model, [&](std::uint32_t, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
    std::set<Attribute> factors{model.products.member(i), model.products.member(j)};
    if (k != ProductSlots::kNone) factors.insert(model.products.member(k));
    result.insert(factors);
  });
  return result;
}

}  // namespace glimpse::test::wide
