#pragma once

#include <cstddef>
#include <cstdint>

namespace glimpse {

// What Pairwise and ScreenedPairwise have in common.

inline constexpr std::uint64_t kSolutionShare =
    50;  ///< predict() takes a solution that lacks 1/50 of the examples
inline constexpr std::uint64_t kLargestGrowth = 4;      ///< of the examples while they are copied: by 1/4
inline constexpr std::uint32_t kDrawsAnAttribute = 16;  ///< of a plan, until the rest is drawn uniformly

/// Up to so many attributes, models that judge are solved for on the learner's thread, also where models that
/// answer come from elsewhere: losses must not depend on when solutions come.
inline constexpr std::size_t kLargestJudge = 1024;
inline constexpr double kSmallestPairImportance = 1e-30;
inline constexpr double kLargestPairTerm = 1e60;  ///< its square, summed over a stream, is still a number

}  // namespace glimpse
