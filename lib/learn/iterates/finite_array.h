#pragma once

#include <cmath>
#include <span>
#include <string_view>

#include "base/state.h"

namespace glimpse {

/// state.get<double>(name, count), and an Error (kCorrupt) as well where a number is NaN or infinite: for
/// what is searched or counted by, and is always finite in a learner that has not diverged.
inline Result<std::span<const double>> finite_array(const State& state, std::string_view name,
                                                    std::size_t count = State::kAnyCount) {
  GLIMPSE_TRY_ASSIGN(const auto values, state.get<double>(name, count));
  for (const double value : values)
    if (!std::isfinite(value))
      return failure(ErrorCode::kCorrupt, "the array '{}' holds a number that is not finite", name);
  return values;
}

}  // namespace glimpse
