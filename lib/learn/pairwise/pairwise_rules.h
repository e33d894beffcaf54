#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace glimpse {

// What Pairwise and ScreenedPairwise have in common.

inline constexpr std::uint64_t kSolutionShare =
    50;  ///< predict() takes a solution that lacks 1/50 of the examples
inline constexpr std::uint64_t kLargestGrowth = 4;      ///< of the examples while they are copied: by 1/4
inline constexpr std::uint32_t kDrawsAnAttribute = 16;  ///< of a plan, until the rest is drawn uniformly
inline constexpr double kSmallestPairImportance = 1e-30;
inline constexpr double kLargestPairTerm = 1e60;  ///< its square, summed over a stream, is still a number

/// So many examples at least there were when chances were planned that hold until there are `next`: counts
/// are powers of two and those half-way between, or come sooner.
inline constexpr std::uint64_t examples_planned_at(std::uint64_t next) {
  return std::has_single_bit(next) ? next / 4 * 3 : next / 3 * 2;
}

}  // namespace glimpse
