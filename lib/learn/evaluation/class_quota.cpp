#include "learn/evaluation/class_quota.h"

namespace glimpse {

namespace {
constexpr double kMostShares = 2;  // that a mixed stream hardly ever has more than
}

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
  const auto counts = state.get<std::uint64_t>("guard.classes");
  if (!counts) return counts.error();
  if (counts->size() < 2) return failure(ErrorCode::kCorrupt, "guard.classes counts no class");
  admitted_.assign(counts->begin(), counts->end() - 1);
  seen_ = counts->back();
  return {};
}

}  // namespace glimpse
