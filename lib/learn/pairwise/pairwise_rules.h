#pragma once

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

}  // namespace glimpse
