#include "learn/evaluation/watched_losses.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <vector>

#include "learn/gauge/value_gauge.h"
#include "stats/change_detector.h"

namespace glimpse {

Result<WatchedLosses> WatchedLosses::restore(const State& state) {
  WatchedLosses losses;
  GLIMPSE_TRY_ASSIGN(const auto counts, state.get<std::uint64_t>("learner.counts"));
  if (counts.empty()) return failure(ErrorCode::kCorrupt, "learner.counts is empty");
  losses.examples = counts.front();
  losses.exponent = 2 * ValueGauge::label_exponent(state);
  for (std::size_t k = 0; k < losses.detectors.size(); ++k) {
    const std::string name = fmt::format("past.{}.detector", k);
    if (state.find(name + ".buckets") == nullptr) break;
    GLIMPSE_TRY(losses.detectors[k].restore(state, name.c_str()));
  }
  return losses;
}

std::optional<SharedRise> losses_rose(std::span<const WatchedLosses* const> learners) {
  int unit = std::numeric_limits<int>::max();
  for (const WatchedLosses* const losses : learners) unit = std::min(unit, losses->exponent);
  for (std::size_t k = 0; k < std::tuple_size_v<decltype(WatchedLosses::detectors)>; ++k) {
    std::vector<PooledStream> streams;
    for (const WatchedLosses* const losses : learners)
      if (losses->examples > 0)
        streams.push_back({&losses->detectors[k], static_cast<double>(losses->examples),
                           std::ldexp(1.0, unit - losses->exponent)});
    if (const auto rise = rose_together(streams))
      return SharedRise{.before = std::ldexp(rise->before, -unit),
                        .after = std::ldexp(rise->after, -unit),
                        .since = std::min(rise->since, 1.0)};
  }
  return {};
}

}  // namespace glimpse
