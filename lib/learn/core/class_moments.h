#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/state.h"

namespace glimpse {

/// What is needed of the classes for their probabilities from a part of the attributes, beside TargetMoments:
/// in the units of these, about their means. Arrays of slots hold one class after another.
struct ClassMoments {
  std::vector<double> counts;       ///< how often each class came; C numbers
  std::vector<double> covariances;  ///< b_c: of the slots with the indicator of class c
  std::vector<double> targets;      ///< Σw_c: of the slots with the prediction of that indicator
  std::vector<double> totals;       ///< w_cᵀΣw_c; C numbers
  std::vector<double> leverages;    ///< of each slot what it adds to PairwiseSolver::in_sample()

  std::size_t classes() const { return counts.size(); }
  std::size_t slots() const { return leverages.size(); }
};

/// Saves and restores it under names that begin with `name`; nullptr where there is none. Of `classes` and
/// `slots`. Errors: kCorrupt.
void save(State& state, const std::string& name, const ClassMoments& moments);
Result<std::shared_ptr<const ClassMoments>> restore_class_moments(const State& state, const std::string& name,
                                                                  std::size_t classes, std::size_t slots);

}  // namespace glimpse
