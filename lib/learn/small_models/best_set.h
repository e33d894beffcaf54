#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/types.h"
#include "learn/core/best_wait.h"
#include "learn/options/options.h"
#include "learn/solver/pairwise_solver.h"
#include "stats/pair_snapshot.h"

namespace glimpse {

/// Which attributes are to be looked at from now on: LOOK_AT_BEST.md.
struct BestSetForm {
  std::size_t attributes = 0;                       ///< so many; 0: all are looked at, and nothing is chosen
  std::shared_ptr<const Prices> prices;             ///< with `cost`: of these attributes
  std::optional<Money> cost;                        ///< that they may have together
  std::optional<Money> cost_of_plan;                ///< and any two of them, so that plans show every pair
  std::vector<Attribute> now;                       ///< what was chosen before, ascending; empty: nothing
  bool chooses = true;                              ///< false: what was chosen stays
  std::uint64_t settled_after = ~std::uint64_t{0};  ///< examples since an attribute became active that do
};
/// Of LearnerOptions::look_at_best. Where K < N an example shows K of the N, so that the N may cost N/K times
/// what an example may.
BestSetForm best_set_form(const LearnerOptions& options, std::vector<Attribute> now);

struct BestChoice {
  std::vector<Attribute> attributes;  ///< ascending, by place in the moments; empty: it is not sure yet
  BestWait wait;                      ///< why
};

/// The attributes to be looked at. What was chosen before stays, unless plans cannot buy it any more, or
/// another set, of pairs that were seen often enough, is expected to err less by kWorthwhile. None:
/// cancelled. The last solution of `solver` is lost. A function of the arguments alone. Cost: that of
/// find_small_set().
std::optional<BestChoice> choose_best_set(const BestSetForm& form, const PairSnapshot& moments,
                                          const std::optional<NormBall>& ball, PairwiseSolver& solver,
                                          const PairwiseSolver::Cancelled& cancelled = {});

}  // namespace glimpse
