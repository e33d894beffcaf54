#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "learn/core/product_slots.h"

namespace glimpse {

/// The second moments of the attributes x and of a model's prediction ⟨w, x⟩ that PartialPrediction needs of
/// all attributes at once. Covariances of pairs are left out: it takes only a few of them. In the attributes'
/// own units. Σ = C + diag(ridge) is usually positive definite; C, the estimate of the covariances, is
/// usually not. d numbers each.
struct TargetMoments {
  std::vector<double> means;      ///< μ
  std::vector<double> variances;  ///< Σ_ii: of the attributes, ridge included
  std::vector<double> ridge;      ///< what was added to C_ii
  std::vector<double> target;     ///< Σw: covariances of the attributes with ⟨w, x⟩
  std::vector<double> shrinkage;  ///< s: C_ij = S_ij/(N_ij + max(s_i, s_j)), at least 1
  double total = 0;               ///< wᵀΣw
  double ridge_total = 0;         ///< Σ w_i² ridge_i: how much of that is ridge
  double expected = 0;            ///< ⟨w, μ⟩
  double margin = 0;              ///< from 0 to 1: Σ less the rest of the ridge is still positive definite
  double noise = 0;               ///< expected squared error of the model where all attributes are known
  ProductSlots products = {};     ///< what slots behind those of attributes are
};

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
