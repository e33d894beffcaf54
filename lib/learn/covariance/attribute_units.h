#pragma once

#include <span>
#include <vector>

#include "stats/pair_moments.h"

namespace glimpse {

/// What attribute_units() finds.
struct AttributeUnits {
  std::vector<double> units;  ///< d numbers above 0
  double spread;              ///< variance of the logarithms of the attributes' true units, at least .05
};

/// The unit in which each attribute is measured where attributes are compared with each other. It is the
/// geometric mean of the attribute's standard deviation and its largest absolute value, so that a model does
/// not depend on the units of the data. Few reveals say little of a unit (a pixel that was not black once or
/// twice). There its logarithm is shrunk towards the others', by empirical Bayes for normal means. The
/// variance of a logarithm is taken as 1/n, n the effective number of reveals. Without that a value far
/// beyond what was seen counts for hundreds of units: see pairwise/EXPERIMENTS.md. O(d).
AttributeUnits attribute_units(std::span<const AttributeSums> attributes);

/// The units in which a model is regularised: those above, times ((m_i + 1)/(n_i + 1))^¼, where attribute i
/// was seen n_i times and m_i is its part of all Σ n_j if attributes had been seen ∝ spread_weights(). A
/// covariance has noise of variance v_iv_j/(N_ij + 1), N_ij ~ n_in_j/n. With n_i ∝ deviation/largest that is
/// the same for all pairs in attribute_units(); where the label or prices chose otherwise it would be in
/// units with the power ½. One λ for all is right where the noise is the same for all; ¼ is what was best
/// (pairwise/EXPERIMENTS.md). An attribute that was never seen keeps its unit. O(d).
AttributeUnits balanced_units(std::span<const AttributeSums> attributes);

/// Fewer effective reveals count as so many, where something is told by them: sums of one wild value that
/// fade
/// (--half-life) leave next to none, and a unit that nobody trusts is one in which its variance is no float.
inline constexpr double kLeastEffective = 0.3;

/// (Σu²)²/Σu⁴, u about the first value seen: how many values of about the same size would spread as much. 0
/// while all values were the same.
double effective_count(const AttributeSums& sums);

}  // namespace glimpse
