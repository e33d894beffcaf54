#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/result.h"
#include "gen/wide_set.h"
#include "lab/experiments/named_options.h"

namespace glimpse {

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
Status run_wide(const WideOptions& set, std::span<const NamedOptions> curves,
                std::span<const std::uint64_t> counts, const std::function<void(const WideRow&)>& visit);

}  // namespace glimpse
