#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/types.h"
#include "learn/small_models/expected_loss.h"
#include "learn/solver/pairwise_solver.h"
#include "stats/pair_snapshot.h"

namespace glimpse {

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
  void select(std::span<const Attribute> attributes);

  const PairSnapshot& moments_;
  const std::vector<std::vector<std::size_t>>& features_;
  const std::optional<NormBall>& ball_;
  std::vector<std::uint32_t> slots_;  // ascending
  PairSnapshot part_;
  PairwiseSolver solver_;
  Model model_;
};

}  // namespace glimpse
