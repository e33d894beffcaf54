#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gen/wide_set.h"
#include "learn/learner.h"

namespace glimpse {

/// A learner of a wide experiment, and what it is called there.
struct WideCurve {
  std::string label;
  LearnerOptions learner;  ///< without dimension, horizon and seed
};

/// "ALGORITHM[:OPTION=VALUE]...", the options being radius, step, phase1 and active as in LearnerOptions. The
/// Error (kInvalidOption) names what cannot be read.
Result<WideCurve> parse_wide_curve(std::string_view text, std::size_t budget);

/// A model after so many examples of one stream.
struct WideRow {
  std::size_t curve;  ///< which
  std::uint64_t seed;
  std::uint64_t examples;
  std::uint64_t attributes;  ///< revealed so far
  double loss;               ///< E(prediction − y)², exactly, over E y²
  double unexplained;        ///< the same over the labels' variance: 1 is what the best constant has
};

/// Learns from one stream, that of `set.seed`, with all curves at once, and measures them after each of
/// `counts` examples (ascending). ddaerr and ddaelr know the true moments. The horizon is the last count.
/// Errors: those of make_learner().
Status run_wide(const WideOptions& set, std::span<const WideCurve> curves,
                std::span<const std::uint64_t> counts, const std::function<void(const WideRow&)>& visit);

}  // namespace glimpse
