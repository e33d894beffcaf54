#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "learn/core/model.h"

namespace glimpse {

/// A model that stays as it was, in a learner's units.
struct PastModel {
  std::vector<double> weights;
  std::vector<double> centre;  ///< the attributes' means when the model came
  double at_centre = 0;        ///< the prediction there
  std::uint64_t examples = 0;  ///< how many the learner had learned from by then

  /// The same as weights and a bias.
  Model model() const;
};

/// Saves and restores one under names that begin with `name`. Restoring what is not there gives nullptr.
void save(State& state, const std::string& name, const PastModel& model);
Result<std::shared_ptr<const PastModel>> restore_past_model(const State& state, const std::string& name,
                                                            std::size_t dimension);
/// `model` with a weight of 0 for `attribute`, which then counts as at its mean. O(d).
std::shared_ptr<const PastModel> without(const PastModel& model, std::size_t attribute);

}  // namespace glimpse
