#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/state.h"

namespace glimpse {

/// A linear score of each class, δ_c(x) = biases[c] + Σ_i weights[i·C + c]·x_i, the greatest of which is the
/// class that is predicted: log-odds, up to what all have in common (to_probabilities()). Arrays of slots
/// (Model) hold C numbers for each slot, one after another. Thread-safety: that of a value type.
struct ClassModel {
  std::vector<double> priors;  ///< how likely each class is, above 0; C numbers
  std::vector<double> biases;
  std::vector<double> weights;

  std::size_t classes() const { return priors.size(); }
  std::size_t slots() const { return priors.empty() ? 0 : weights.size() / priors.size(); }
  /// The C numbers of a slot; none for slots that came later.
  std::span<const double> weights_of(std::size_t slot) const {
    return slot < slots() ? std::span<const double>(weights).subspan(slot * classes(), classes())
                          : std::span<const double>();
  }
};

/// The score of a class that came after the model: its probability is 0.
inline constexpr double kNoScore = -std::numeric_limits<double>::infinity();

/// A model that knows no more than how often each class came, with no slots: (n_c + ½)/(n + C/2), so that
/// none is impossible.
ClassModel class_priors(std::span<const double> counts);

/// `model` with `slot` at `value` for good, where it is one of its slots: with weights of 0 there.
std::shared_ptr<const ClassModel> without(const ClassModel& model, std::size_t slot, double value);

/// Saves and restores one under names that begin with `name`; nullptr where there is none. Of up to
/// `most_slots` slots. Errors: kCorrupt.
void save(State& state, const std::string& name, const ClassModel& model);
Result<std::shared_ptr<const ClassModel>> restore_class_model(const State& state, const std::string& name,
                                                              std::size_t most_slots);

}  // namespace glimpse
