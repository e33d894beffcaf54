#pragma once

namespace glimpse {

/// Measures and prints the two figures that glimpse promises about scale, each against its limit: how much
/// longer a learning step takes at d = 10⁷ than at d = 10³ (K = 5), and the bytes each algorithm keeps per
/// attribute. Returns true when every figure is within its limit.
bool print_ratios();

}  // namespace glimpse
