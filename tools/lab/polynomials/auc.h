#pragma once

#include <span>

namespace glimpse {

/// The area under the ROC curve: how likely an example with a label above 0 has a larger score than one with
/// another label; equal scores count half. NaN where one kind is missing. O(n log n).
double area_under_curve(std::span<const double> scores, std::span<const double> labels);

}  // namespace glimpse
