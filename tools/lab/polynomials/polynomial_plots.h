#pragma once

#include <span>
#include <string>
#include <vector>

#include "lab/polynomials/polynomial_summary.h"

namespace glimpse {

/// What a picture of bars shows of a method on a set.
enum class BarValue { kRelativeError, kRelativeTime, kFeatures };

/// Gnuplot scripts that contain their data and draw "`output`.svg" and "`output`.png".

/// The medians of relative error and time over the sets, with bars to the quartiles (ABHLT14, Figure 1).
std::string tradeoff_script(std::span<const PolynomialSummary> sets, std::span<const std::string> methods,
                            const std::string& output);
/// On how many sets relative error and time are at most so much (Figure 2).
std::string distribution_script(std::span<const PolynomialSummary> sets, std::span<const std::string> methods,
                                const std::string& output);
/// A group of bars a set, one a method: Figures 5, 6 and 7, and 4 with `values` of two kinds.
std::string bars_script(std::span<const PolynomialSummary> sets, std::span<const std::string> methods,
                        std::span<const BarValue> values, const std::string& output);

}  // namespace glimpse
