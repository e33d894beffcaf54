#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "learn/core/product_slots.h"
#include "stats/pair_moments.h"
#include "stats/pair_snapshot.h"

namespace glimpse {

/// What each product says of the labels beyond a linear model, as a standard normal deviate where it says
/// nothing:
///
///     t_m = r_m/s_m,   r_m = cov(m, y) − Σ_i w_i·c_mi,   c_mi = S_mi/(N_mi + 1)
///     s_m² = φ·v_m·(noise/n_m + 2·Σ_i w_i²v_i·u_mi)
///
/// n_m examples showed product m, N_mi of these attribute i as well. The label holds w_ix_i in all n_m, and
/// c_mi takes it off as the N_mi tell. What stays has the variance v_mv_i·u_mi, u_mi = (1 − f)²/n_m +
/// f²(1/N_mi − 1/n_m), f = N_mi/(N_mi + 1), if m and x_i are independent. Where they are not it is about
/// twice that, as for normal attributes with correlations of ½. If i is a factor of m, u is next to nothing.
/// `noise` is the linear model's expected squared error.
///
/// φ ≥ 1 is by how much the halves of the examples differ more in cov(m, y) than the variances of m and y
/// tell, in the mean over all products. t is taken as Student's, of n_e − 1 degrees of freedom, n_e the
/// effective number of reveals: products have heavy tails.
///
/// What a product's own factors explain of it is left out of r_m as well, as far as the linear model leaves
/// that of the factors because its weights are shrunk: else x²y would stand in for y.
///
/// `moments`: of the attributes and products that have these `slots`, in whose units
/// `weights` are. Counts are of examples, whatever their importances: PairSnapshot::examples_a_weight(). One
/// number a product; 0 where n_e is below 32, as covariances of so few are of no use. O(d·products).
std::vector<double> product_evidence(const PairSnapshot& moments, const ProductSlots& slots,
                                     std::span<const double> weights, double noise);

/// A rough form of it, to compare products that are tried: r_m less what the kMostOfRough attributes explain
/// that add most to predictions, over √(v_m·noise/n_m); 0 where n_m is below 8. It reads the sums themselves.
/// `noise`: of the model of `weights`. O(d + kMostOfRough·products).
std::vector<double> rough_evidence(const PairMoments& moments, const ProductSlots& slots,
                                   std::span<const double> weights, double noise);

/// Which of them tell of something. None, unless the largest |z| has a chance below `gate` over their number;
/// else those from |z| ≥ t on, for the least t at which at most `share` of these would be expected by chance
/// (Benjamini & Hochberg 1995). Ascending.
/// `tried`: how many there were to choose from, where these are some of more.
std::vector<std::size_t> significant(std::span<const double> deviates, double gate, double share,
                                     double tried = 0);

}  // namespace glimpse
