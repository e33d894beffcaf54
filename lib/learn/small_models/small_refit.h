#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/types.h"
#include "learn/core/model.h"
#include "learn/solver/pairwise_solver.h"
#include "stats/pair_snapshot.h"

namespace glimpse {

/// What the squared error of a model is expected to be on new examples, from the moments that it was solved
/// from.
struct ExpectedLoss {
  double in_sample = 0;  ///< σ_y² − 2wᵀb + wᵀCw with plain means: of the moments themselves
  double optimism = 0;   ///< how much less that is than the error, as w follows the noise of these moments
  double ridge = 0;      ///< PairwiseSolver::expected_error(): what the ridge reckons with
  double penalty = 0;    ///< λ‖w‖², which is in that
  double variance = 0;   ///< of in_sample

  /// in_sample with its optimism, `chance` more of it, and the ridge's error, weighed by how sure they are.
  double total(double chance) const;
  /// The standard error of that.
  double error() const;
};

/// `solver` has just solved `moments` for `model`. w = αA⁻¹b̂, A = Ĉ₊ + λI. With ε the noise of b̂ − Ĉw,
///
///     optimism = 2α·tr(A⁻¹Cov ε),
///     Cov ε_ii = C_ii·(e/n_i + Σ_{j≠i} w_j²C_jj·f_ij),
///     Cov ε_ij = e·C_ij·N_ij/(n_in_j) + w_iw_jC_iiC_jj·f_ij,   f_ij = max(1/N_ij − 1/max(n_i, n_j), 0),
///
/// e the error. The first terms are those of least squares on whole examples (2·e·d/n of d weights), the
/// others come from that Ĉ_ij knows fewer examples than b̂_i. Of attributes like normal ones, and to first
/// order. O(d³).
ExpectedLoss expected_loss(const PairSnapshot& moments, const PairwiseSolver& solver, const Model& model);

/// Makes `part` a copy of what `moments`, whose attributes have these `features`, knows of some attributes
/// (ascending), as if there were no others. The slots of `moments` that it has.
std::vector<std::uint32_t> select_attributes(const PairSnapshot& moments,
                                             const std::vector<std::vector<std::size_t>>& features,
                                             std::span<const Attribute> attributes, PairSnapshot& part);

/// Solves for models of a few attributes, as if there were no others.
class SmallRefit {
 public:
  /// `features`: of each attribute. All outlives it.
  SmallRefit(const PairSnapshot& moments, const std::vector<std::vector<std::size_t>>& features,
             const std::optional<NormBall>& ball)
      : moments_(moments), features_(features), ball_(ball) {}

  ExpectedLoss solve(std::span<const Attribute> attributes, const PairwiseSolver::Cancelled& cancelled);
  /// Of the last solve, by slots of `moments`.
  Model model() const;
  double weight(std::size_t slot) const;

 private:
  const PairSnapshot& moments_;
  const std::vector<std::vector<std::size_t>>& features_;
  const std::optional<NormBall>& ball_;
  std::vector<std::uint32_t> slots_;  // ascending
  PairSnapshot part_;
  PairwiseSolver solver_;
  Model model_;
};

}  // namespace glimpse
