#pragma once

#include <cstddef>
#include <string_view>

#include "base/state.h"

namespace glimpse {

/// The value of an option of the learner whose state this is, as describe() wrote it; empty: the state does
/// not say. Valid as long as the state.
std::string_view option_of(const State& state, std::string_view name);

/// The same where it is a whole number; 0: the state does not say.
std::size_t number_of(const State& state, std::string_view name);

}  // namespace glimpse
