#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "learn/core/small_model.h"
#include "learn/options/prices.h"
#include "learn/solver/pairwise_solver.h"
#include "stats/pair_snapshot.h"

namespace glimpse {

/// The small model that `question` asks for, from the moments of pairs: SMALL_MODELS.md. An attribute of
/// categories brings all its indicators. None when it was cancelled. `prices`: what attributes cost, without
/// which there is no question of cost; nullptr: nothing is known. `ball`: where weights must stay. The last
/// solution of `solver` is lost.
///
/// Cost: a full solve, O(d·k²) for the choice and O(k⁴) for the losses of 1 to k attributes, k at least
/// kLeastPath or all. 8·d·k bytes.
std::optional<SmallModel> find_small_model(const SmallModelQuestion& question, const PairSnapshot& moments,
                                           const Prices* prices, const std::optional<NormBall>& ball,
                                           PairwiseSolver& solver,
                                           const PairwiseSolver::Cancelled& cancelled = {});

/// The attributes of a small model alone, and how good it would be.
struct SmallSet {
  std::vector<Attribute> attributes;  ///< ascending
  double loss = 0;                    ///< expected squared error, and its standard error
  double loss_error = 0;
  double loss_of_mean = 0;
  double loss_of_other = 0;  ///< of the set that it is compared with; infinite: of none
};

/// The set that find_small_model() chooses, and what would be expected of `other`, which may be empty:
/// without the losses of fewer attributes. O(k³) for these. `together`: ChoiceLimits.
std::optional<SmallSet> find_small_set(const SmallModelQuestion& question, std::span<const Attribute> other,
                                       const std::function<bool(Attribute, Attribute)>& together,
                                       const PairSnapshot& moments, const Prices* prices,
                                       const std::optional<NormBall>& ball, PairwiseSolver& solver,
                                       const PairwiseSolver::Cancelled& cancelled = {});

/// Attributes that are chosen one after another, so far as there are, before the least useful go again.
inline constexpr std::size_t kLeastPath = 64;
/// And so many more than are asked for.
inline constexpr std::size_t kLongerPath = 32;
/// Sets of more features, as of attributes with very many categories, are not tried.
inline constexpr std::size_t kMostSmallFeatures = 1024;
/// No loss is told below this share of the error that the ridge reckons with.
inline constexpr double kLeastOfRidge = 0.25;
/// What eliminating must gain over choosing, as a share of the error, for its set to be taken.
inline constexpr double kWorthwhile = 0.01;

}  // namespace glimpse
