#pragma once

#include <cstdint>
#include <vector>

namespace glimpse {

/// An averaged linear model: prediction = bias + ⟨weights, x⟩ in the user's units.
struct Model {
  std::vector<double> weights;  ///< d numbers
  double bias = 0;
};

/// What each attribute is worth to a model: its expected squared error without the attribute, all others
/// refitted, less that with it. As a share of the label's variance, so that units do not matter. Of features:
/// where several make one attribute their shares are to be added, which is a little less than the attribute's
/// own where they are correlated. NaN: not known.
struct Importances {
  std::vector<double> shares;  ///< d numbers; or none
  std::vector<double> errors;  ///< their standard errors
};

/// What a model was made from; see LearnerCounts.
struct ModelOrigin {
  std::uint64_t examples = 0;
  std::uint64_t attributes_revealed = 0;
};

}  // namespace glimpse
