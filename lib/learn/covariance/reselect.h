#pragma once

#include <cstddef>
#include <span>

#include "stats/pair_moments.h"

namespace glimpse {

/// In place of a slot: an attribute that was not there before.
inline constexpr std::size_t kNewSlot = static_cast<std::size_t>(-1);

/// The moments of another choice of attributes. Slot s goes on with what slot from[s] knew, alone and of the
/// pairs with the others that went on, or begins with nothing (kNewSlot). `from` ascends, new slots left out.
/// The label's sums stay. Cost: O(a²) time and twice the memory of both, for a moment.
PairMoments reselect(const PairMoments& moments, std::span<const std::size_t> from);

/// The same in any order: `from` holds each slot once at most. Target t goes on with what target targets[t]
/// knew, or begins with nothing (kNewSlot).
PairMoments renumber(const PairMoments& moments, std::span<const std::size_t> from,
                     std::span<const std::size_t> targets);

}  // namespace glimpse
