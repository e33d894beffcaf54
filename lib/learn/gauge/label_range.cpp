#include "learn/gauge/label_range.h"

namespace glimpse {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
}

void LabelRange::save(State& state) const {
  state.put_number("labels.min", min_);
  state.put_number("labels.max", max_);
}

Status LabelRange::restore(const State& state, std::uint64_t learned) {
  if (state.find("labels.min") == nullptr && state.find("labels.max") == nullptr) {
    *this = LabelRange();
    if (learned > 0) {
      add(-kInfinity);
      add(kInfinity);
    }
    return {};
  }
  GLIMPSE_TRY_ASSIGN(const auto min, state.get_number<double>("labels.min"));
  GLIMPSE_TRY_ASSIGN(const auto max, state.get_number<double>("labels.max"));
  const bool empty = min == kInfinity && max == -kInfinity;
  if (!empty && !(min <= max))
    return failure(ErrorCode::kCorrupt, "labels.min and labels.max hold {} and {}: no range of labels", min,
                   max);
  min_ = min;
  max_ = max;
  return {};
}

void LabelSpread::save(State& state) const {
  state.put_number("labels.count", count_);
  const auto spread = state.put<double>("labels.spread", 2);
  if (spread.empty()) return;
  spread[0] = mean_;
  spread[1] = squares_;
}

Status LabelSpread::restore(const State& state) {
  if (state.find("labels.count") == nullptr && state.find("labels.spread") == nullptr) {
    *this = LabelSpread();
    return {};
  }
  GLIMPSE_TRY_ASSIGN(const auto count, state.get_number<std::uint64_t>("labels.count"));
  GLIMPSE_TRY_ASSIGN(const auto spread, state.get<double>("labels.spread", 2));
  if (!(spread[1] >= 0)) return failure(ErrorCode::kCorrupt, "the spread of the labels is {}", spread[1]);
  count_ = count;
  mean_ = spread[0];
  squares_ = spread[1];
  return {};
}

LossShare share_of(double loss, double standard_error, double variance) {
  const double share = loss / variance;
  if (!(variance > 0) || !std::isfinite(share)) return {{std::nan(""), std::nan("")}};
  return {{share, standard_error / variance}};
}

LossShare share_of(const ProgressiveLoss::Part& loss, double variance) {
  const NonNegative reported = loss.reported();
  return share_of(reported.estimate, reported.error, std::isnan(loss.baseline) ? variance : loss.baseline);
}

}  // namespace glimpse
