#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "learn/evaluation/past_models.h"
#include "stats/pair_batch.h"

namespace glimpse {

// When models that are solved for judge: by counts of examples alone.

/// Solves of so many attributes take no longer than about a hundred examples.
inline constexpr std::size_t kJudgesAtOnce = 64;
/// And up to so many, some ten milliseconds.
inline constexpr std::size_t kJudgesOften = 1024;

/// Whether a model of the first `examples`, of `solved` of the `dimension` attributes, is to judge: as
/// PastModels::due() says. With more than kJudgesOften attributes a solve takes longer than many examples,
/// and learning would wait for it: powers of 16 alone then below solved²/64 examples, from where attributes
/// were seen four times each, and of four below solved²/4.
inline bool judge_due(std::uint64_t examples, std::size_t dimension, std::size_t budget, std::size_t solved) {
  if (!PastModels::due(examples, dimension, budget, solved)) return false;
  if (solved <= kJudgesOften) return true;
  const std::uint64_t square = static_cast<std::uint64_t>(solved) * solved;
  const int power = std::countr_zero(examples);
  if (examples < square / 64) return power % 4 == 0 && examples * budget >= 4 * dimension;
  return examples >= square / 4 || power % 2 == 0;
}

/// Whether a model that will judge is made so soon that pairs that are to be added later should be from now
/// on, a few with each example: its copy begins with all of them added.
inline bool is_judge_near(std::uint64_t examples, std::size_t dimension, std::size_t budget,
                          std::size_t solved) {
  const std::uint64_t next = std::bit_ceil(examples);
  return next - examples <= PairBatch::kMostValues / budget && judge_due(next, dimension, budget, solved);
}

/// From which example on it judges: once the examples are a quarter more, or twice as many where solves are
/// long and examples few; in these others can solve for it.
inline std::uint64_t judges_from(std::uint64_t examples, std::size_t solved) {
  if (solved <= kJudgesAtOnce) return examples;
  const bool is_short = solved > kJudgesOften && examples < static_cast<std::uint64_t>(solved) * solved / 16;
  return examples + (is_short ? examples : examples / 4);
}

}  // namespace glimpse
