#include "learn/inference/known_features.h"

#include <algorithm>
#include <cmath>

#include "learn/core/product_slots.h"

namespace glimpse {

namespace {

bool has_products(const Solution& solution) {
  return !solution.model.products.empty() && solution.known_slots() >= solution.model.products.all();
}

void add_known_products(std::span<const Entry> known, const Model& model, std::vector<Entry>& result) {
  const ProductSlots& slots = model.products;
  std::vector<Entry> factors;  // by places, ascending, about their centres
  for (const Entry& entry : known)
    if (const std::uint32_t place = slots.place(entry.attribute); place != ProductSlots::kNone)
      factors.push_back({place, entry.value - model.centres[place]});
  std::ranges::sort(factors, {}, &Entry::attribute);
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
    if (!features.is_category(entry.attribute)) result.push_back(entry);
    if (!features.has_indicators(entry.attribute) || std::isnan(entry.value)) continue;
    const FeatureCodes ones = features.codes(entry.attribute, entry.value);
    const auto slots = features.indicators(entry.attribute);
    for (std::size_t code = 0; code < slots.size(); ++code)
      if (slots[code] < solution.known_slots())
        result.push_back({slots[code], std::ranges::count(ones, static_cast<double>(code)) > 0 ? 1.0 : 0.0});
  }
  if (has_products(solution)) add_known_products(known, solution.model, result);
  return result;
}

namespace {

void add_products(Attribute attribute, const Solution& solution, std::span<const Attribute> given,
                  OwnedFeatures& result) {
  if (!has_products(solution)) return;
  const Model& model = solution.model;
  const ProductSlots& slots = model.products;
  const auto add = [&](std::uint32_t slot) {
    if (model.weights[slot] != 0) result.add(slot, attribute);
  };
  const std::uint32_t place = slots.place(attribute);
  if (place == ProductSlots::kNone) return;
  // The attribute and any one or two of what is known with it, itself among them.
  std::vector<std::uint32_t> others{place};
  for (const Attribute other : given)
    if (other != attribute && slots.place(other) != ProductSlots::kNone) others.push_back(slots.place(other));
  std::ranges::sort(others);
  for (auto i = others.begin(); i != others.end(); ++i) {
    add(slots.of(std::min(place, *i), std::max(place, *i)));
    if (slots.degree() < 3) continue;
    for (auto j = i; j != others.end(); ++j) {
      std::uint32_t factors[] = {place, *i, *j};
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
    }
    if (!features.has_indicators(attribute)) continue;
    for (const std::uint32_t slot : features.indicators(attribute))
      if (slot < solution.known_slots()) result.add(slot, attribute);
  }
  return result;
}

}  // namespace glimpse
