#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lab/data/dense_set.h"
#include "stats/second_moments.h"

namespace glimpse {

/// What knowing the second moments M_i = E[x_i²] can gain on a data set; 1: nothing (KS15 §5). Neither
/// depends on one common scale of the attributes; both depend on their relative scales.
struct ImprovementRatios {
  double ridge = 1;  ///< ρ_ridge = ‖M‖½/(d·E‖x‖₂²), ‖M‖½ = (Σ√M_i)²
  double lasso = 1;  ///< ρ_lasso = ‖M‖₁/(d·max_i M_i)
};

/// M_i over the rows of `set`, or over those named, d numbers. O(n·d).
std::vector<double> second_moments(const DenseSet& set);
std::vector<double> second_moments(const DenseSet& set, std::span<const std::uint32_t> rows);

/// Both 1 where every moment is 0.
ImprovementRatios improvement_ratios(const std::vector<double>& second_moments);

/// The moments of the rows named as an algorithm that knows them beforehand takes them; to the bit the same
/// in whatever order they are named.
SecondMoments known_moments(const DenseSet& set, std::span<const std::uint32_t> rows);

}  // namespace glimpse
