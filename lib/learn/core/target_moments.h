#pragma once

#include <vector>

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

}  // namespace glimpse
