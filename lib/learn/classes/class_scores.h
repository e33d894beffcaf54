#pragma once

#include <cstddef>
#include <span>

#include "learn/core/class_model.h"

namespace glimpse {

/// Scores become probabilities, in place: p_c ∝ exp(slope·δ_c). They sum to 1; where every score is kNoScore
/// they are all alike. O(C).
void to_probabilities(double slope, std::span<double> scores);

/// The class of the greatest number; of equal ones the first.
std::size_t greatest(std::span<const double> numbers);

}  // namespace glimpse
