#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "daemon/bodies/fleet_body.h"
#include "learn/core/learner.h"
#include "learn/core/model_features.h"
#include "learn/core/small_model.h"
#include "learn/inference/class_prediction.h"

namespace glimpse {

/// What the daemon's predictions do beside bias + ⟨weights, x⟩ (Predictor, --clip), so that an exported model
/// can do so as well: an attribute's value that is missing or outside of [low, high] becomes its mean, and
/// any other is clipped to ±limit; then the prediction is clipped to [label_low, label_high]. Infinite: no
/// bound.
struct ModelBounds {
  /// The part of the label; a classifier's predictions have none. Those of attributes are added by add().
  void take_label(const Learner& learner, const Clip& clip);
  /// Appends those of `attribute`. Only where bounds_attributes(). O(1).
  void add(const Learner& learner, Attribute attribute);
  static bool bounds_attributes(const Learner& learner, const Clip& clip);

  std::vector<double> means, lows, highs, limits;  ///< of each attribute in turn; empty: no bounds
  double label_low = -std::numeric_limits<double>::infinity();
  double label_high = std::numeric_limits<double>::infinity();
};

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
  ModelBounds bounds;
};

/// Of a model with categories or products, weights, names and attributes are one for each feature: "sex=M",
/// "age*bmi", "age^2". Attributes of a product are a list in JSON, "3*7" in CSV, and in safetensors
/// neighbours, as many as "degrees" says. "categories" has what each attribute of categories is worth as a
/// whole; what a date is worth is the importance of its number of days. Of a classifier with `scores` there
/// is a bias and a list of weights for each of "classes" in JSON, a column of weights for each in CSV, and in
/// safetensors they stand behind each other. Where standard errors of weights were asked for, "weight_errors"
/// has them, and "weight_lows" and "weight_highs" the ends of intervals, which hold so many of the truths as
/// "interval" says. A fleet's has "positions" in JSON and safetensors, and each has its bounds there.
std::string model_json(const ModelSnapshot& snapshot);
std::string model_csv(const ModelSnapshot& snapshot);
/// For people: where the model comes from, and the `top` features that are worth most to it, those of unknown
/// importance last, of the largest weight, or of classes those whose weights differ most. Each with its
/// importance, a share of the label's variance, and its weight, both with standard errors where these are
/// known; its interval where errors were asked for; its name where there is one. Of classes the weights of
/// the first six. An attribute of categories is a row as well.
std::string model_table(const ModelSnapshot& snapshot, std::size_t top);
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
  ModelBounds bounds;                  ///< of the chosen attributes
};

/// The attributes that were chosen, the best first, "weights" by the names of their features, and "curve":
/// expected losses of 0, 1, … attributes.
std::string small_model_json(const SmallModelSnapshot& snapshot);

}  // namespace glimpse
