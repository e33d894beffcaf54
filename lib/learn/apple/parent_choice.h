#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "learn/apple/normalised_steps.h"
#include "learn/apple/parent_tree.h"

namespace glimpse {

/// The features that become parents at the end of an epoch: the `count` with the largest |w_m|·max|m| of
/// those that are none yet (ABHLT14, Algorithm 1, with the scale of m as its authors' program has it). The
/// slot breaks ties. With `fallback` the last of them is one of the lowest degree that is left (§2.4). Fewer
/// where not so many have a weight. O(slots).
std::vector<std::uint32_t> choose_parents(const ParentTree& tree, const NormalisedSteps& steps,
                                          std::size_t count, bool fallback);

}  // namespace glimpse
