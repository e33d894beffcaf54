#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/results/summary.h"

namespace glimpse {

/// After how many attributes a curve's mean loss first is `loss` or less: between two points the loss is
/// taken as linear in the logarithm of the attributes. Nothing where the curve stays above.
std::optional<double> attributes_needed(const SummaryCurve& curve, double loss);

/// "rival,attributes,loss,attributes_needed,ratio,loss_at_the_end": how many attributes the first curve needs
/// for the loss that each other one ends with, over those that the other has seen by then; empty fields where
/// it does not reach it. loss_at_the_end is the first curve's, at its last point.
std::string attributes_table(const std::vector<SummaryCurve>& curves);

}  // namespace glimpse
