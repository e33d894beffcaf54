#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "data/records/categories.h"
#include "learn/core/learner.h"
#include "learn/core/model.h"

namespace glimpse {

/// A feature of a model that has others than attributes: a category, or a product of attributes.
struct ModelFeature {
  Attribute attribute = 0;
  std::uint32_t slot = 0;  ///< of its weight
  std::string category;    ///< of an attribute of categories; valid UTF-8
  bool is_category = false;
  std::vector<Attribute> others;  ///< of a product: what `attribute` is multiplied by, ascending from it on
  std::string date_part = {};     ///< of a date: "Monday"; empty: the number of days
};

/// A name as JSON takes it; of an attribute without one its number.
std::string shown_name(std::string_view name, Attribute attribute);

/// "sex=M", "when: Monday", "age*bmi", "age^2*bmi". `names`: of attributes 0, 1, …; of one that has none the
/// number is taken.
std::string feature_name(const std::vector<std::string>& names, const ModelFeature& feature);

/// The features of `learner` and of `model`, its own: by attribute, and of one by the codes of its
/// categories, then products by their slots. Of Model::products the ones that have weights. Empty: each
/// attribute is its own feature. O(features).
std::vector<ModelFeature> features_of_model(const Learner& learner, const Model& model,
                                            const Categories& categories);

}  // namespace glimpse
