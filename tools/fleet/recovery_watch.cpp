#include "fleet/recovery_watch.h"

#include <algorithm>
#include <array>

namespace glimpse {

std::string_view name_of(FleetEvent event) {
  constexpr std::array<std::string_view, kFleetEvents> kNames = {
      "killed", "killed amid a call", "terminated",   "stopped and continued",
      "joined", "brokers away",       "brokers slow", "compaction"};
  return kNames[static_cast<std::size_t>(event)];
}

std::optional<FleetEvent> event_of(std::string_view word) {
  constexpr std::array<std::string_view, kFleetEvents> kWords = {
      "kill", "kill-in-call", "terminate", "stop", "join", "away", "slow", "compact"};
  const auto* const found = std::ranges::find(kWords, word);
  if (found == kWords.end()) return std::nullopt;
  return static_cast<FleetEvent>(found - kWords.begin());
}

void RecoveryWatch::begin(FleetEvent event, double now, double over) {
  open_.push_back({event, now, std::max({over, now + least_}), now, now});
}

void RecoveryWatch::step(double now, bool learns, bool is_fresh) {
  const auto note = [&](std::optional<double>& since, bool is_well) {
    if (!is_well)
      since.reset();
    else if (!since)
      since = now;
  };
  std::erase_if(open_, [&](Open& open) {
    note(open.learns_since, learns);
    note(open.fresh_since, is_fresh);
    if (now < open.over || !open.learns_since || !open.fresh_since) return false;
    recoveries_.push_back({open.event, *open.learns_since - open.began, *open.fresh_since - open.began});
    return true;
  });
}

}  // namespace glimpse
