#include "stats/frozen_snapshot.h"

#include <algorithm>
#include <cstring>

namespace glimpse {

namespace {
constexpr std::size_t kSumsAnAttribute = sizeof(AttributeSums) / sizeof(double);
constexpr std::size_t kDoublesALabel = sizeof(LabelSums) / sizeof(double);
}  // namespace

void FrozenSnapshot::begin(const PairMoments& moments, bool centred, const FeatureMap& features) {
  moments.settle();
  if (!features.is_plain()) {
    take(moments, centred, features);
    rows_left_ = 0;
    return;
  }
  PairSnapshot::begin(moments, centred);
  set_offsets(moments, 0);
  rows_left_ = dimension() > 0 ? dimension() - 1 : 0;
  is_left_.assign(rows_left_, true);
  first_left_ = 0;
  if (PairMoments::memory_bytes(dimension()) <= kAtOnceBytes) finish(moments);
}

void FrozenSnapshot::keep_row(const PairMoments& moments, std::size_t i) {
  if (!is_left_[i]) return;
  copy_row(moments, i);
  is_left_[i] = false;
  --rows_left_;
}

// The pairs of i < j are in row i: the last attribute has none behind it.
void FrozenSnapshot::keep(const PairMoments& moments, std::span<const Attribute> attributes) {
  for (std::size_t a = 0; a + 1 < attributes.size() && rows_left_ > 0; ++a) keep_row(moments, attributes[a]);
  for (std::size_t read = 0; rows_left_ > 0 && read < kStepBytes; ++first_left_) {
    if (!is_left_[first_left_]) continue;
    keep_row(moments, first_left_);
    read += (dimension() - first_left_ - 1) * sizeof(PairSums);
  }
}

void FrozenSnapshot::finish(const PairMoments& moments) {
  for (; rows_left_ > 0; ++first_left_) keep_row(moments, first_left_);
}

void FrozenSnapshot::save(State& state, const std::string& name) const {
  const auto attributes = state.put<double>(name + ".attributes", dimension() * kSumsAnAttribute);
  if (dimension() > 0) std::memcpy(attributes.data(), attributes_.data(), attributes.size_bytes());
  const double label[] = {label_.reference, label_.weight, label_.sum, label_.square, centred_ ? 1.0 : 0.0};
  state.put_copy<double>(name + ".label", label);
  const auto write = [&](const char* what, const LargeArray<float>& array) {
    const auto room = state.put<float>(name + what, array.size());
    if (!array.empty()) std::memcpy(room.data(), array.data(), room.size_bytes());
  };
  write(".weights", pairs_.weights);
  write(".covariances", pairs_.covariances);
  save_targets(state, name);
}

void FrozenSnapshot::save_targets(State& state, const std::string& name) const {
  if (targets() == 0) return;
  const auto cells =
      state.put<double>(name + ".targets", targets() * dimension() * TargetSums::kDoublesACell);
  const auto totals = state.put<double>(name + ".target_totals", targets() * kDoublesALabel);
  for (std::size_t t = 0; t < targets(); ++t) {
    std::memcpy(&totals[t * kDoublesALabel], &targets_[t].sums, sizeof(LabelSums));
    if (dimension() > 0)
      std::memcpy(&cells[t * dimension() * TargetSums::kDoublesACell], targets_[t].cells.data(),
                  dimension() * TargetSums::kBytesACell);
  }
}

Status FrozenSnapshot::restore_targets(const State& state, const std::string& name) {
  targets_.clear();
  if (state.find(name + ".target_totals") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto totals, state.get<double>(name + ".target_totals", State::kAnyCount));
  const std::size_t count = totals.size() / kDoublesALabel;
  if (totals.size() != count * kDoublesALabel)
    return failure(ErrorCode::kCorrupt, "{}.target_totals has {} numbers, must have {} of each target", name,
                   totals.size(), kDoublesALabel);
  GLIMPSE_TRY_ASSIGN(const auto cells,
                     state.get<double>(name + ".targets", count * dimension() * TargetSums::kDoublesACell));
  targets_.resize(count);
  for (std::size_t t = 0; t < count; ++t) {
    std::memcpy(static_cast<void*>(&targets_[t].sums), &totals[t * kDoublesALabel], sizeof(LabelSums));
    targets_[t].cells.resize(dimension());
    if (dimension() > 0)
      std::memcpy(static_cast<void*>(targets_[t].cells.data()),
                  &cells[t * dimension() * TargetSums::kDoublesACell], dimension() * TargetSums::kBytesACell);
  }
  return {};
}

Status FrozenSnapshot::restore(const State& state, const std::string& name, std::size_t dimension) {
  GLIMPSE_TRY_ASSIGN(const auto attributes,
                     state.get<double>(name + ".attributes", dimension * kSumsAnAttribute));
  GLIMPSE_TRY_ASSIGN(const auto label, state.get<double>(name + ".label", 5));
  const std::size_t pairs = dimension * (dimension - 1) / 2;
  GLIMPSE_TRY_ASSIGN(const auto weights, state.get<float>(name + ".weights", dimension > 0 ? pairs : 0));
  GLIMPSE_TRY_ASSIGN(const auto covariances,
                     state.get<float>(name + ".covariances", dimension > 0 ? pairs : 0));
  if (std::any_of(weights.begin(), weights.end(), [](float weight) { return weight < 0; }))
    return failure(ErrorCode::kCorrupt, "{}.weights has a negative number", name);
  make_room(dimension);
  if (dimension > 0)
    std::memcpy(static_cast<void*>(attributes_.data()), attributes.data(), attributes.size_bytes());
  if (!weights.empty()) {
    std::memcpy(pairs_.weights.data(), weights.data(), weights.size_bytes());
    std::memcpy(pairs_.covariances.data(), covariances.data(), covariances.size_bytes());
  }
  label_ = {label[0], label[1], label[2], label[3]};
  set_centres(label[4] != 0);
  GLIMPSE_TRY(restore_targets(state, name));
  is_left_.clear();
  rows_left_ = first_left_ = 0;
  return {};
}

}  // namespace glimpse
