#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "learn/core/model.h"
#include "learn/core/target_moments.h"

namespace glimpse {

/// A model that stays as it was, in a learner's units.
struct PastModel {
  std::vector<double> weights;
  std::vector<double> centre;  ///< the attributes' means when the model came
  double at_centre = 0;        ///< the prediction there
  std::uint64_t examples = 0;  ///< how many the learner had learned from by then
  double bias = 0;             ///< the prediction where all attributes are 0: model().bias, kept
  /// For predictions from a part of the attributes; nullptr: not known, or not any more.
  std::shared_ptr<const TargetMoments> moments;

  /// The same as weights and a bias.
  Model model() const;
};

/// `model`, made after `examples`, when the attributes' means were `centre`.
PastModel past_model(const Model& model, std::vector<double> centre, std::uint64_t examples);

/// Saves and restores one under names that begin with `name`. Restoring what is not there gives nullptr.
void save(State& state, const std::string& name, const PastModel& model);
Result<std::shared_ptr<const PastModel>> restore_past_model(const State& state, const std::string& name,
                                                            std::size_t dimension);
/// `model` with a weight of 0 for `attribute`, which then counts as at its mean, and without moments. O(d).
std::shared_ptr<const PastModel> without(const PastModel& model, std::size_t attribute);

}  // namespace glimpse
