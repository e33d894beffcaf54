#pragma once

#include <optional>

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
