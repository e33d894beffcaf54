#pragma once

#include "base/state.h"

namespace glimpse {

/// Σ ρ of averaged iterates, from a checkpoint. Builds that knew the plain average alone kept their number.
inline Result<double> restored_iterate_weight(const State& state) {
  constexpr const char* kNumber = "weights.iterates";
  if (state.find(kNumber) == nullptr) return state.get_number<double>("weights.iterate_weight");
  GLIMPSE_TRY_ASSIGN(const auto iterates, state.get_number<std::uint64_t>(kNumber));
  return static_cast<double>(iterates);
}

}  // namespace glimpse
