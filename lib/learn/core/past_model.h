#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "learn/core/best_wait.h"
#include "learn/core/class_model.h"
#include "learn/core/model.h"
#include "learn/core/target_moments.h"
#include "stats/feature_map.h"

namespace glimpse {

/// A model that stays as it was, in a learner's units: of the slots of a FeatureMap that there were.
struct PastModel {
  std::vector<double> weights;
  /// The means when the model came. In the own slot of an attribute of categories, which has no weight, what
  /// its indicators add to the prediction there.
  std::vector<double> centre;
  double at_centre = 0;              ///< the prediction there
  std::uint64_t examples = 0;        ///< how many the learner had learned from by then
  double bias = 0;                   ///< the prediction where all attributes are 0: model().bias, kept
  std::vector<double> centres = {};  ///< Model::centres
  ProductSlots products = {};        ///< Model::products
  /// Where products have weights: the linear model of the same moment. Unbiased estimates of the loss from
  /// few draws are far less noisy of it.
  std::shared_ptr<const PastModel> linear = nullptr;
  /// For predictions from a part of the attributes; nullptr: not known, or not any more.
  std::shared_ptr<const TargetMoments> moments;
  /// Of a classifier: its scores; and, of more than two classes, the models of their indicators, by class.
  std::shared_ptr<const ClassModel> scores = nullptr;
  std::vector<std::shared_ptr<const PastModel>> indicators = {};
  std::shared_ptr<const ClassMoments> class_moments = nullptr;  ///< beside `moments`
  /// --look-at-best: the attributes chosen when it came, ascending, which alone have weights; nullptr: none
  /// were.
  std::shared_ptr<const std::vector<Attribute>> best = nullptr;
  BestWait best_wait = {};  ///< why none were

  /// The model of the indicator of a class; nullptr: the class came later.
  const PastModel* of_class(std::size_t c) const {
    return c < indicators.size() ? indicators[c].get() : nullptr;
  }
  /// This one, or the linear model of its moment.
  const PastModel& without_products() const { return linear ? *linear : *this; }
  /// The same as weights and a bias.
  Model model() const;
  /// What attribute i adds to the prediction with a value of `x`, beside what it adds there. A category that
  /// came later has a weight of 0.
  double term(std::size_t i, double x, const FeatureMap& features) const {
    return features.has_indicators(i) ? term_of_indicators(i, x, features) : term_of_number(i, x);
  }
  /// The same where the attribute is one number.
  double term_of_number(std::size_t i, double x) const {
    // Of very many attributes most weights are 0: the centres of these need not be fetched.
    return weights[i] == 0 ? 0 : weights[i] * (x - centre[i]);
  }
  /// What an attribute that has indicators adds to at_centre.
  double at_centre_of(std::size_t i, const FeatureMap& features) const;

 private:
  double term_of_indicators(std::size_t i, double x, const FeatureMap& features) const;
};

/// `model`, made after `examples`, when the means of the slots of `features` were `centre` (0 in the own
/// slots of attributes of categories).
PastModel past_model(const Model& model, std::vector<double> centre, std::uint64_t examples,
                     const FeatureMap& features = {});

/// Members of a checkpoint (ProductSlots) differ and are below `attributes`. Errors: kCorrupt.
Status check_members(const std::vector<Attribute>& members, std::size_t attributes, const std::string& name);

/// Saves and restores one under names that begin with `name`. Restoring what is not there gives nullptr. It
/// is of `least` slots, or up to `most`, as there came more while it was kept.
void save(State& state, const std::string& name, const PastModel& model);
Result<std::shared_ptr<const PastModel>> restore_past_model(const State& state, const std::string& name,
                                                            std::size_t least, std::size_t most);
/// `model` with a weight of 0 in `slot`, of a number, and in those of its products, which then count as at
/// their means, and without moments. O(slots).
std::shared_ptr<const PastModel> without(const PastModel& model, std::size_t slot);

}  // namespace glimpse
