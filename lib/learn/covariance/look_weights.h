#pragma once

#include <functional>
#include <span>
#include <vector>

#include "stats/feature_map.h"
#include "stats/pair_moments.h"

namespace glimpse {

/// How often plans hold each attribute where they are drawn with these `weights`: from 0, where none ever
/// does, to 1.
using LookChances = std::function<void(std::span<const double> weights, std::span<double> chances)>;

/// How often pairwise's plans should hold attribute i, up to a common factor and apart from its cost: d
/// numbers of mean 1, each at least .1. π_i is the chance of a plan to hold i, s_i its variance in units of
/// the largest value seen, and g_j = w_j²v_j what attribute j explains of the label. n examples then leave an
/// excess loss of about
///
///     (1/n) Σ_i (s_i/π_i)·(σ² + T),   T = Σ_j g_j·(1/π_j − 1):
///
/// the target b̂_i has the noise σ² that nothing explains, and that of each attribute j which was not seen
/// together with i. Its least value under a limit of Σ c_i·π_i has
///
///     π_i ∝ √((s_i·(σ² + T) + S·g_i)/c_i),   S = Σ_i s_i/π_i.
///
/// The weights are the roots without c_i, mixed with a tenth of uniform, and a fixed point with the π that
/// `chances` makes of them.
///
/// w_i is the marginal slope b̂_i/(v_i + λ), in attribute_units(), with λ = (Σ v_i²/(n_i²/n + 1))^½ for the
/// noise of the covariances. g_i is what is to be expected of it, for weights of variance τ² and the noise
/// ν_i = σ_y²v_i/((n_i + 1)(v_i + λ)²) of a slope. g_i = v_i·(ρ²w_i² + ρν_i) with ρ = τ²/(τ² + ν_i), where τ²
/// is Σ v_i(w_i² − ν_i)/Σ v_i (empirical Bayes). So an attribute that was seen a few times counts like the
/// others, none is starved for an unlucky estimate, and with no sign of a signal (τ² ≤ 0) the weights are
/// spread_weights(). What was measured: pairwise/EXPERIMENTS.md.
///
/// An attribute of categories has the s and the g of its indicators, summed: they are seen together, so that
/// they share one π, and the sums above are over features. Of g an indicator that is 1 in a share p counts by
/// 1 − p, as what one explains the others explain as well: Σ (1 − p_i)·w_i²v_i with the marginal slopes is
/// the variance between the categories' means. `features`: those of the moments' slots; the weights are one
/// for each attribute.
///
/// Of several labels, `further` being the moments of the others, what each attribute explains is summed over
/// them, of each in units of its own variance: what one is measured in does not matter.
///
/// A function of the sums alone, whatever was solved. O(d) and eight calls of `chances`; no pair is read.
/// `by_label`, if given, is told whether anything seems to explain the label.
std::vector<double> look_weights(const PairMoments& moments, const LookChances& chances,
                                 const FeatureMap& features = {}, bool* by_label = nullptr,
                                 std::span<const PairMoments* const> further = {});

}  // namespace glimpse
