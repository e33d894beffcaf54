#include "daemon/bodies/feature_names.h"

#include <cstddef>
#include <fmt/format.h>

namespace glimpse {

namespace {

// "age", or its number.
std::string attribute_name(const std::vector<std::string>& names, Attribute attribute) {
  const bool has_name = attribute < names.size() && !names[attribute].empty();
  return has_name ? names[attribute] : fmt::format("{}", attribute);
}

}  // namespace

std::string feature_name(const std::vector<std::string>& names, const ModelFeature& feature) {
  std::string name = attribute_name(names, feature.attribute);
  if (feature.is_category) return name + "=" + feature.category;
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

}  // namespace glimpse
