#include "daemon/fleet/fleet_cut.h"

#include <cmath>
#include <limits>
#include <utility>

namespace glimpse {

namespace {

constexpr const char* kCuts = "fleet.cuts";
constexpr const char* kRises = "fleet.cut_rises";
constexpr const char* kDecidedAt = "fleet.cut_decided_at";
constexpr std::uint64_t kNoSay = std::numeric_limits<std::uint64_t>::max();

}  // namespace

void AppliedCuts::add(const FleetCut& cut, std::uint64_t offset) {
  if (applied_.size() == kMost) applied_.erase(applied_.begin());
  applied_.push_back({cut.rise, offset});
  decided_at_ = cut.decided_at;
}

void AppliedCuts::save(State& state) const {
  if (applied_.empty()) return;
  const auto cuts = state.put<std::uint64_t>(kCuts, 2 * applied_.size());
  for (std::size_t i = 0; i < applied_.size(); ++i) {
    cuts[2 * i] = applied_[i].rise.number;
    cuts[2 * i + 1] = applied_[i].offset;
  }
  const auto rises = state.put<double>(kRises, 3 * applied_.size());
  for (std::size_t i = 0; i < applied_.size(); ++i) {
    rises[3 * i] = applied_[i].rise.before;
    rises[3 * i + 1] = applied_[i].rise.after;
    rises[3 * i + 2] = applied_[i].rise.since;
  }
  const auto decided_at = state.put<std::uint64_t>(kDecidedAt, decided_at_.size());
  for (std::size_t p = 0; p < decided_at_.size(); ++p) decided_at[p] = decided_at_[p].value_or(kNoSay);
}

Result<AppliedCuts> AppliedCuts::restore(const State& state) {
  AppliedCuts all;
  if (state.find(kCuts) == nullptr) return all;
  GLIMPSE_TRY_ASSIGN(const auto cuts, state.get<std::uint64_t>(kCuts));
  const std::size_t count = cuts.size() / 2;
  if (count == 0 || count > kMost || cuts.size() % 2 != 0)
    return failure(ErrorCode::kCorrupt, "{} has {} numbers; it has 2 for each of 1 to {} cuts", kCuts,
                   cuts.size(), kMost);
  GLIMPSE_TRY_ASSIGN(const auto rises, state.get<double>(kRises, 3 * count));
  GLIMPSE_TRY_ASSIGN(const auto decided_at, state.get<std::uint64_t>(kDecidedAt));
  for (std::size_t i = 0; i < count; ++i) {
    const Applied applied{{cuts[2 * i], rises[3 * i], rises[3 * i + 1], rises[3 * i + 2]}, cuts[2 * i + 1]};
    if (applied.rise.number <= all.number() || (i > 0 && applied.offset < all.applied_.back().offset))
      return failure(ErrorCode::kCorrupt, "{} holds cut {} at offset {} behind cut {}", kCuts,
                     applied.rise.number, applied.offset, all.number());
    if (!std::isfinite(applied.rise.before) || !std::isfinite(applied.rise.after) ||
        !(applied.rise.since >= 0 && applied.rise.since <= 1))
      return failure(ErrorCode::kCorrupt, "{} holds a rise from {} to {}, since {} of the examples", kRises,
                     applied.rise.before, applied.rise.after, applied.rise.since);
    all.applied_.push_back(applied);
  }
  for (const std::uint64_t offset : decided_at)
    all.decided_at_.push_back(offset == kNoSay ? std::nullopt : std::optional(offset));
  return all;
}

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
