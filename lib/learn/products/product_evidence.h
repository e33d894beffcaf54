#pragma once

#include <cstddef>
#include <span>
#include <vector>

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
/// `moments`: of the attributes in the slots below weights.size() and of products behind, in whose units
/// `weights` are. Counts are of examples, whatever their importances: PairSnapshot::examples_a_weight(). One
/// number a product; 0 where n_e is below 32, as covariances of so few are of no use. O(d·products).
std::vector<double> product_evidence(const PairSnapshot& moments, std::span<const double> weights,
                                     double noise);

/// Which of them tell of something. None, unless the largest |z| has a chance below `gate` over their number;
/// else those from |z| ≥ t on, for the least t at which at most `share` of these would be expected by chance
/// (Benjamini & Hochberg 1995). Ascending.
std::vector<std::size_t> significant(std::span<const double> deviates, double gate, double share);

}  // namespace glimpse
