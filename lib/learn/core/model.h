#pragma once

#include <cstdint>
#include <vector>

namespace glimpse {

/// An averaged linear model: prediction = bias + ⟨weights, x⟩ in the user's units.
struct Model {
  std::vector<double> weights;  ///< d numbers
  double bias = 0;
};

/// What a model was made from; see LearnerCounts.
struct ModelOrigin {
  std::uint64_t examples = 0;
  std::uint64_t attributes_revealed = 0;
};

}  // namespace glimpse
