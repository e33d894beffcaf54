#include "learn/evaluation/class_quota.h"

#include <cmath>

namespace glimpse {

namespace {
constexpr double kMostShares = 2;  // that a mixed stream hardly ever has more than
constexpr double kFewestShares = .5;
constexpr double kChance = 2;  // standard deviations of a count
}  // namespace

void ClassQuota::begin() {
  seen_ = 0;
  admitted_.assign(admitted_.size(), 0);
}

bool ClassQuota::admits(std::size_t c, double share) {
  ++seen_;
  if (c >= admitted_.size()) admitted_.resize(c + 1, 0);
  if (static_cast<double>(admitted_[c]) >= 1 + kMostShares * share * static_cast<double>(seen_)) return false;
  ++admitted_[c];
  return true;
}

bool ClassQuota::is_balanced(std::span<const double> shares) const {
  const auto came = [&](std::size_t c) {
    return c < admitted_.size() ? static_cast<double>(admitted_[c]) : 0.0;
  };
  const auto stays_away = [&](double share, double count) {
    const double expected = share * static_cast<double>(seen_);
    return count < kFewestShares * expected - kChance * std::sqrt(expected);
  };
  double all = 0;
  double most = 0;
  double all_came = 0;
  double most_came = 0;
  for (std::size_t c = 0; c < shares.size(); ++c) {
    if (stays_away(shares[c], came(c))) return false;
    all += shares[c];
    all_came += came(c);
    if (!(shares[c] > most)) continue;
    most = shares[c];
    most_came = came(c);
  }
  return !stays_away(all - most, all_came - most_came);
}

void ClassQuota::save(State& state) const {
  if (admitted_.empty()) return;
  std::vector<std::uint64_t> counts = admitted_;
  counts.push_back(seen_);
  state.put_copy<std::uint64_t>("guard.classes", counts);
}

Status ClassQuota::restore(const State& state) {
  *this = {};
  const auto* const saved = state.find("guard.classes");
  if (saved == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto counts, state.get<std::uint64_t>("guard.classes"));
  if (counts.size() < 2) return failure(ErrorCode::kCorrupt, "guard.classes counts no class");
  admitted_.assign(counts.begin(), counts.end() - 1);
  seen_ = counts.back();
  return {};
}

}  // namespace glimpse
