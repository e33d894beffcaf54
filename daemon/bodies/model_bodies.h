#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "daemon/bodies/fleet_body.h"
#include "data/records/categories.h"
#include "learn/core/learner.h"
#include "learn/core/small_model.h"

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

/// A model copied out for a query: immutable once made.
struct ModelSnapshot {
  std::shared_ptr<const Model> model;
  std::string algorithm;
  std::string label;  ///< in UTF-8; empty: there is one
  std::uint64_t examples = 0;
  std::uint64_t attributes_revealed = 0;
  double age_seconds = 0;                                    ///< model_age_seconds()
  PartitionOffsets positions;                                ///< of a fleet's model; else empty
  std::shared_ptr<const Importances> importances;            ///< nullptr: not known
  const char* importances_from = nullptr;                    ///< "moments" or "weights"; nullptr: not known
  bool has_errors = false;                                   ///< they were asked for
  std::shared_ptr<const std::vector<double>> weight_errors;  ///< nullptr: not known
  std::vector<std::string> classes;          ///< names, of a classifier; of its scores, if any
  std::shared_ptr<const ClassModel> scores;  ///< nullptr: the model predicts −1 and 1
  double slope = 1;                          ///< probabilities are shares of exp(slope·score)
  std::vector<std::string> names;            ///< of attributes 0, 1, …; may be fewer than d
  std::size_t dimension = 0;                 ///< attributes
  /// By attribute, and of one by the codes of its categories, then products by their slots. Empty: each
  /// attribute is its own feature.
  std::vector<ModelFeature> features;
};

/// What `learner`'s features are called, for ModelSnapshot::features: of `model`, its own. Of those of
/// Model::products the ones that have weights. O(features).
std::vector<ModelFeature> features_of_model(const Learner& learner, const Model& model,
                                            const Categories& categories);

/// Of a model with categories or products, weights, names and attributes are one for each feature: "sex=M",
/// "age*bmi", "age^2". Attributes of a product are a list in JSON, "3*7" in CSV, and in safetensors
/// neighbours, as many as "degrees" says. "categories" has what each attribute of categories is worth as a
/// whole; what a date is worth is the importance of its number of days. Of a classifier with `scores` there
/// is a bias and a list of weights for each of "classes" in JSON, a column of weights for each in CSV, and in
/// safetensors they stand behind each other. Where standard errors of weights were asked for, "weight_errors"
/// has them, and "weight_lows" and "weight_highs" the ends of intervals, which hold so many of the truths as
/// "interval" says. A fleet's has "positions" in JSON and safetensors.
std::string model_json(const ModelSnapshot& snapshot);
std::string model_csv(const ModelSnapshot& snapshot);
Result<std::string> model_safetensors(const ModelSnapshot& snapshot, const std::string& version);

/// A small model copied out for a query: immutable once made.
struct SmallModelSnapshot {
  std::shared_ptr<const SmallModel> small;
  std::string algorithm;
  std::uint64_t examples = 0;
  std::uint64_t attributes_revealed = 0;
  double age_seconds = 0;              ///< model_age_seconds()
  PartitionOffsets positions;          ///< of a fleet's model; else empty
  std::string of_class;                ///< of a classifier: whose indicator is predicted; empty: a number is
  bool has_prices = false;             ///< what it costs is known
  std::vector<std::string> names;      ///< of attributes 0, 1, …; may be fewer than d
  std::vector<ModelFeature> features;  ///< of all attributes; empty: each is its own feature
};

/// The attributes that were chosen, the best first, "weights" by the names of their features, and "curve":
/// expected losses of 0, 1, … attributes.
std::string small_model_json(const SmallModelSnapshot& snapshot);

}  // namespace glimpse
