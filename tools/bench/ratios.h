#pragma once

namespace glimpse {

/// Measures and prints the two figures that glimpse promises about scale, each against its limit. One is how
/// much longer a learning step takes at d = 10⁷ than at d = 10³ (K = 5), the other the bytes each algorithm
/// keeps per attribute. Returns true when every figure is within its limit.
bool print_ratios();

}  // namespace glimpse
