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
