#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace glimpse {

/// Which attributes have been active for so long that a model gains by them: `ages` are the examples since
/// each became active. One whose pairs were hardly ever seen makes λ, the ridge of all, several times too
/// large, and its own weight is little more than noise. So an attribute has to be a quarter as old as the
/// attributes that have half of all ages together; where most are as young as it is, it is old enough.
/// pairwise/EXPERIMENTS.md has what it gains. O(a log a).
///
/// True: leave it out for now.
std::vector<bool> too_young(std::span<const std::uint64_t> ages);

}  // namespace glimpse
