#pragma once

#include <span>
#include <vector>

#include "stats/pair_moments.h"

namespace glimpse {

/// The variances v_i of attributes in given units, d numbers above 0, shrunk to their mean: (S_ii + ½v̄)/(n_i
/// + ½). S_ii is the sum of squares about the mean, v̄ = Σ S_ii/Σ n_i, or 1 where that is 0. An attribute in
/// a unit of 0 has S_ii = 0. O(d).
std::vector<double> shrunk_variances(std::span<const AttributeSums> attributes,
                                     std::span<const double> units);

/// The same in units of the largest values seen.
std::vector<double> shrunk_spreads(std::span<const AttributeSums> attributes);

/// `x`, numbers of at least 0 that are not all 0, over its mean, mixed with a tenth of uniform: so are
/// chances planned, up to a common factor. O(d).
void mix_with_uniform(std::vector<double>& x);

/// How often attributes are looked at for their spread alone: √shrunk_spreads(), mixed with uniform. A sum of
/// squared errors over all covariances, Σ v_iv_j/(π_iπ_j), is least with √v. O(d).
std::vector<double> spread_weights(std::span<const AttributeSums> attributes);

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
