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

}  // namespace glimpse
