#include "daemon/losses/hold_out.h"

#include <utility>

#include "base/random.h"
#include "learn/classes/class_scores.h"

namespace glimpse {

bool HoldOut::is_held_out(std::uint64_t number) const { return Random(number).uniform() < share_; }

HeldOut::HeldOut(std::uint64_t records, std::uint64_t values, const UnlearnedLosses& losses)
    : UnlearnedLoss(losses.report(0)), records(records), values(values), classes(losses.classes()) {
  for (std::size_t l = 1; l < losses.labels(); ++l) further.push_back(losses.report(l));
}

void HoldOut::note_record(std::uint64_t values) {
  ++records_;
  values_ += values;
}

void HoldOut::add_class(std::span<double> scores, std::optional<std::size_t> of_class) {
  scores_.assign(scores.begin(), scores.end());
  to_probabilities(slope_, scores);
  losses_.add_class(scores, of_class);
  if (!of_class || scores.size() < 2) return;
  temperature_.add(scores_, *of_class);
  slope_ = temperature_.slope();
}

void HoldOut::begin_again() {
  losses_.clear();
  temperature_ = Temperature();
  slope_ = Temperature::kUsual;
}

void HoldOut::save(State& state) const {
  const std::uint64_t counts[] = {numbered_, records_, values_};
  state.put_copy<std::uint64_t>("held_out.counts", counts);
  if (records_ > 0) losses_.save(state, "held_out");
  if (temperature_.count() > 0) temperature_.save(state, "held_out.temperature");
}

Status HoldOut::restore(const State& state) {
  begin_again();
  numbered_ = records_ = values_ = 0;
  if (state.find("held_out.counts") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto counts, state.get<std::uint64_t>("held_out.counts", 3));
  numbered_ = counts[0];
  records_ = counts[1];
  values_ = counts[2];
  GLIMPSE_TRY(losses_.restore(state, "held_out"));
  GLIMPSE_TRY(temperature_.restore(state, "held_out.temperature"));
  slope_ = temperature_.slope();
  return {};
}

void KeptRecords::add(std::span<const Entry> values, std::span<const double> labels) {
  if (came_++ % apart_ != 0) return;
  records_.push_back({{values.begin(), values.end()}, {labels.begin(), labels.end()}});
  values_ += values.size();
  if (values_ <= kMostValues || records_.size() < 2) return;
  apart_ *= 2;
  values_ = 0;
  std::size_t kept = 0;
  for (std::size_t r = 0; r < records_.size(); r += 2) {
    values_ += records_[r].values.size();
    if (kept != r) records_[kept] = std::move(records_[r]);
    ++kept;
  }
  records_.resize(kept);
}

void Freeze::save(State& state) const {
  const std::uint64_t counts[] = {frozen_ ? std::uint64_t{1} : 0, records_, values_};
  state.put_copy<std::uint64_t>("frozen.counts", counts);
  losses_.save(state, "frozen");
}

Status Freeze::restore(const State& state) {
  *this = Freeze();
  if (state.find("frozen.counts") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto counts, state.get<std::uint64_t>("frozen.counts", 3));
  if (counts[0] > 1)
    return failure(ErrorCode::kCorrupt, "frozen.counts begins with {}; must be 0 or 1", counts[0]);
  frozen_ = counts[0] == 1;
  records_ = counts[1];
  values_ = counts[2];
  return losses_.restore(state, "frozen");
}

}  // namespace glimpse
