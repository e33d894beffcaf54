#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/types.h"

namespace glimpse {

/// A feature of a model that has others than attributes: a category, or a product of attributes.
struct ModelFeature {
  Attribute attribute = 0;
  std::uint32_t slot = 0;  ///< of its weight
  std::string category;    ///< of an attribute of categories; valid UTF-8
  bool is_category = false;
  std::vector<Attribute> others;  ///< of a product: what `attribute` is multiplied by, ascending from it on
};

/// "sex=M", "age*bmi", "age^2*bmi". `names`: of attributes 0, 1, …; of one that has none the number is taken.
std::string feature_name(const std::vector<std::string>& names, const ModelFeature& feature);

}  // namespace glimpse
