#pragma once

#include <cstddef>
#include <span>

#include "learn/core/model.h"
#include "learn/importance/attribute_importance.h"
#include "learn/linalg/spectral_solver.h"
#include "stats/feature_map.h"

namespace glimpse {

/// Of attributes of more indicators than this the importance is not known: it takes C³ for C indicators.
inline constexpr std::size_t kMostWeighedTogether = 256;

/// Importances of attributes of categories: what the expected error is larger by without all indicators F of
/// one, the other features refitted. It is put in the attribute's own slot, which is no feature. In the terms
/// of attribute_importances() it is (2α − α²)·w_FᵀBw_F, B = ((A⁻¹)_FF)⁻¹, and its standard error
/// √(4w_FᵀBVBw_F + 2tr(BVBV)), V the covariance of w_F: `variances` on its diagonal, and the correlations of
/// (A⁻¹Ĉ₊A⁻¹)_FF, as the indicators of an attribute are seen together. Blocks of A⁻¹ are reckoned as the
/// diagonals in inverse_diagonals(). O(C²r + C³) for C indicators, r ≤ 60.
void add_category_importances(const FeatureMap& features, const SolvedFor& solution, const KrylovSpace& space,
                              double ridge, std::span<const double> variances, Importances& importances);

}  // namespace glimpse
