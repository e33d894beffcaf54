#include "daemon/fleet/fleet_drift.h"

#include <utility>

namespace glimpse {

Status FleetDrift::note(std::uint32_t partition, const StateVersion& version, const State& state) {
  GLIMPSE_TRY_ASSIGN(const auto cuts, AppliedCuts::restore(state));
  GLIMPSE_TRY_ASSIGN(auto losses, WatchedLosses::restore(state));
  Known& known = known_.at(partition);
  known.losses = std::move(losses);
  known.offset = version.offset;
  known.applied = cuts.number() > 0 ? std::optional(cuts.all().back()) : std::nullopt;
  if (cuts.number() > number()) newest_ = cuts.last();
  has_news_ = true;
  return {};
}

std::optional<FleetCut> FleetDrift::judge() {
  if (!std::exchange(has_news_, false)) return {};
  FleetCut cut;
  std::vector<const WatchedLosses*> losses;
  for (const Known& known : known_) {
    const std::uint64_t applied = known.applied ? known.applied->rise.number : 0;
    const bool has_say = known.losses && applied == number();
    if (has_say) losses.push_back(&*known.losses);
    cut.decided_at.push_back(has_say ? std::optional(known.offset) : std::nullopt);
  }
  const auto rise = losses_rose(losses);
  if (!rise) return {};
  cut.rise = *rise;
  cut.rise.number = number() + 1;
  return cut;
}

}  // namespace glimpse
