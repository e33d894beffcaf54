#include "learn/core/model_features.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "base/date_parts.h"
#include "data/text/text.h"
#include "learn/core/model_products.h"
#include "learn/core/monomials.h"

namespace glimpse {

namespace {

std::string attribute_name(const std::vector<std::string>& names, Attribute attribute) {
  return shown_name(attribute < names.size() ? names[attribute] : "", attribute);
}

// Those products that have weights alone, of the many that have slots.
std::vector<ModelFeature> features_with_products(const Model& model) {
  std::vector<ModelFeature> features;
  const ProductSlots& products = model.products;
  for (Attribute i = 0; i < products.attributes(); ++i) features.push_back({i, i, {}, false, {}});
  for_each_product(model, [&](std::uint32_t slot, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
    std::vector<Attribute> factors{products.member(i), products.member(j)};
    if (k != ProductSlots::kNone) factors.push_back(products.member(k));
    std::ranges::sort(factors);
    features.push_back({factors.front(), slot, {}, false, {factors.begin() + 1, factors.end()}});
  });
  return features;
}

}  // namespace

std::string shown_name(std::string_view name, Attribute attribute) {
  return name.empty() ? fmt::format("{}", attribute) : valid_utf8(name);
}

std::string feature_name(const std::vector<std::string>& names, const ModelFeature& feature) {
  std::string name = attribute_name(names, feature.attribute);
  if (feature.is_category) return name + "=" + feature.category;
  if (!feature.date_part.empty()) return name + ": " + feature.date_part;
  Attribute last = feature.attribute;
  std::size_t power = 1;
  const auto end_power = [&] {
    if (power > 1) name += fmt::format("^{}", power);
    power = 1;
  };
  for (const Attribute other : feature.others) {
    if (other == last) {
      ++power;
      continue;
    }
    end_power();
    name += "*" + attribute_name(names, other);
    last = other;
  }
  end_power();
  return name;
}

std::vector<ModelFeature> features_of_model(const Learner& learner, const Model& model,
                                            const Categories& categories) {
  const FeatureMap& map = learner.features();
  std::vector<ModelFeature> features;
  if (const Monomials* products = learner.products(); products != nullptr) {
    for (std::uint32_t slot = 0; products->products() > 0 && slot < products->slots(); ++slot) {
      const auto factors = products->factors(slot);
      features.push_back({factors.front(), slot, {}, false, {factors.begin() + 1, factors.end()}});
    }
    return features;
  }
  if (!model.products.empty()) return features_with_products(model);
  if (map.is_plain()) return features;
  for (std::size_t i = 0; i < map.attributes(); ++i) {
    const auto attribute = static_cast<Attribute>(i);
    if (!map.is_category(i)) features.push_back({attribute, attribute, {}, false, {}});
    if (!map.has_indicators(i)) continue;
    const auto slots = map.indicators(i);
    for (std::uint32_t code = 0; code < slots.size(); ++code) {
      if (slots[code] == FeatureMap::kNone) continue;
      if (map.is_date(i))
        features.push_back({attribute, slots[code], {}, false, {}, date_part_name(code)});
      else
        features.push_back(
            {attribute, slots[code], valid_utf8(std::string(categories.word(attribute, code))), true, {}});
    }
  }
  return features;
}

}  // namespace glimpse
