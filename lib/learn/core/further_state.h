#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/state.h"

namespace glimpse {

/// What the names of the arrays of all labels but the first begin with, before their number.
inline constexpr std::string_view kFurtherLabel = "further.";

/// Puts what the learner of label number `label` ≥ 1 saved, under names of its own: "further.1.pairs.label".
void put_further_state(State& state, std::size_t label, const State& part);
/// The same back; none: the state has no such label. Copies it.
std::optional<State> further_state(const State& state, std::size_t label);
/// How many labels the state has behind the first. O(its arrays and texts, for each).
std::size_t further_labels(const State& state);

}  // namespace glimpse
