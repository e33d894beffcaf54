#include "learn/inference/known_features.h"

#include <algorithm>
#include <cmath>

#include "learn/core/product_slots.h"

namespace glimpse {

namespace {

bool has_products(const Solution& solution) {
  return !solution.model.centres.empty() && solution.known_slots() > solution.model.centres.size();
}

void add_known_products(std::span<const Entry> known, const Model& model, std::vector<Entry>& result) {
  std::vector<Entry> factors;  // about their centres, ascending
  for (const Entry& entry : known)
    factors.push_back({entry.attribute, entry.value - model.centres[entry.attribute]});
  std::ranges::sort(factors, {}, &Entry::attribute);
  const ProductSlots slots(model);
  const auto add = [&](std::uint32_t slot, double product) {
    if (model.weights[slot] != 0) result.push_back({slot, product});
  };
  for (auto i = factors.begin(); i != factors.end(); ++i)
    for (auto j = i; j != factors.end(); ++j) {
      add(slots.of(i->attribute, j->attribute), i->value * j->value);
      if (slots.degree() < 3) continue;
      for (auto k = j; k != factors.end(); ++k)
        add(slots.of(i->attribute, j->attribute, k->attribute), i->value * j->value * k->value);
    }
}

}  // namespace

std::vector<Entry> known_features(std::span<const Entry> known, const FeatureMap& features,
                                  const Solution& solution) {
  std::vector<Entry> result;
  for (const Entry& entry : known) {
    if (!features.is_category(entry.attribute)) {
      result.push_back(entry);
      continue;
    }
    if (std::isnan(entry.value)) continue;
    const std::uint32_t one = features.indicator(entry.attribute, entry.value);
    for (const std::uint32_t slot : features.indicators(entry.attribute))
      if (slot < solution.known_slots()) result.push_back({slot, slot == one ? 1.0 : 0.0});
  }
  if (has_products(solution)) add_known_products(known, solution.model, result);
  return result;
}

namespace {

void add_products(Attribute attribute, const Solution& solution, std::span<const Attribute> given,
                  OwnedFeatures& result) {
  if (!has_products(solution)) return;
  const Model& model = solution.model;
  const ProductSlots slots(model);
  const auto add = [&](std::uint32_t slot) {
    if (model.weights[slot] != 0) result.add(slot, attribute);
  };
  // The attribute and any one or two of what is known with it, itself among them.
  std::vector<Attribute> others(given.begin(), given.end());
  if (!std::ranges::binary_search(others, attribute))
    others.insert(std::ranges::upper_bound(others, attribute), attribute);
  for (auto i = others.begin(); i != others.end(); ++i) {
    add(slots.of(std::min(attribute, *i), std::max(attribute, *i)));
    if (slots.degree() < 3) continue;
    for (auto j = i; j != others.end(); ++j) {
      Attribute factors[] = {attribute, *i, *j};
      std::ranges::sort(factors);
      add(slots.of(factors[0], factors[1], factors[2]));
    }
  }
}

}  // namespace

OwnedFeatures features_of(std::span<const Attribute> attributes, const FeatureMap& features,
                          const Solution& solution, std::span<const Attribute> given) {
  OwnedFeatures result;
  for (const Attribute attribute : attributes) {
    if (!features.is_category(attribute)) {
      result.add(attribute, attribute);
      add_products(attribute, solution, given, result);
      continue;
    }
    for (const std::uint32_t slot : features.indicators(attribute))
      if (slot < solution.known_slots()) result.add(slot, attribute);
  }
  return result;
}

}  // namespace glimpse
