#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/types.h"
#include "data/records/example_reader.h"
#include "learn/core/solving.h"
#include "learn/inference/partial_prediction.h"

namespace glimpse {

/// Why a prediction is what it is, in the user's units. For a linear model
///
///     prediction = (bias + Σ w_iμ_i) + Σ_known w_i(x_i − μ_i) + Σ_unknown w_j(E[x_j | known] − μ_j)
///
/// over the features: attributes, indicators of categories, products. μ are the means of the moments that the
/// model was solved from. So at_means + Σ parts + rest + unknown is the prediction, to rounding, before it
/// is clipped.
struct Explanation {
  /// What a known feature adds.
  struct Part {
    Attribute slot = 0;
    double value = 0;   ///< x_i; of an indicator 1 or 0, of a product about the centres of its factors
    double amount = 0;  ///< w_i(x_i − μ_i)
  };
  double prediction = 0;        ///< before it is clipped
  double at_means = 0;          ///< the prediction where each feature is at its mean
  std::vector<Part> parts;      ///< the largest |amount| first; none of 0
  double rest = 0;              ///< the sum of the known features' amounts that are not among `parts`
  double unknown = 0;           ///< what is expected of those that are not known
  double unknown_variance = 0;  ///< Var[Σ_unknown w_jx_j | known]: their part in the prediction's variance
  double noise = 0;             ///< the other part: the model's error where all is known; NaN: not known yet
  double clipped = 0;           ///< what clipping adds to all that
  /// Of a classifier: `prediction` is the margin, log p of the likeliest class over p of the next, and parts
  /// are slope·(w_i − w'_i)(x_i − μ_i) with the weights of their scores. Variances are NaN.
  struct Margin {
    std::size_t predicted = 0;
    std::size_t next = 0;
  };
  std::optional<Margin> margin = std::nullopt;

  /// Keeps the `top` largest parts, and sums up the others.
  void keep(std::size_t top);
};

/// Of `prediction`, to which each of `known` was made known, slots and values; `top`: so many parts. `noise`
/// and `clipped` are left at 0. O(known).
Explanation explain(const Solution& solution, std::span<const Entry> known,
                    const PartialPrediction& prediction, std::size_t top);

}  // namespace glimpse
