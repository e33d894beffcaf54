#include "learn/iterates/lazy_weights.h"

#include "learn/iterates/finite_array.h"
#include "learn/iterates/iterate_weight.h"

namespace glimpse {

void LazyWeights::close_epoch() {
  const double closed = scale_sum_.value();
  for (double& sum : owed_) sum += closed;
  owed_.push_back(closed);
  scale_sum_ = DoubleDouble();
  epoch_scale_ = scale_;
}

void LazyWeights::settle(std::size_t group) {
  const std::size_t end = group * kGroup + kGroup < cells_.size() ? group * kGroup + kGroup : cells_.size();
  const double owed = owed_[epochs_[group]];
  for (std::size_t i = group * kGroup; i < end; ++i) cells_[i].c -= cells_[i].u * owed;
  epochs_[group] = static_cast<std::uint8_t>(owed_.size());
}

void LazyWeights::rescale() {
  int exponent = 0;
  std::frexp(scale_, &exponent);
  const double factor = std::ldexp(1.0, exponent);
  for (std::size_t group = 0; group < epochs_.size(); ++group) {
    if (epochs_[group] != owed_.size()) settle(group);
    epochs_[group] = 0;
  }
  owed_.clear();
  for (Cell& cell : cells_) cell.u *= factor;
  scale_ /= factor;
  epoch_scale_ = scale_;
  norm_.scale_by_power_of_two(factor);
  norm_.scale_by_power_of_two(factor);
}

void LazyWeights::scale_average(double factor) {
  for (Cell& cell : cells_) cell.c *= factor;
  for (double& sum : owed_) sum *= factor;
  scale_sum_.scale_by_power_of_two(factor);
  iterate_weight_ *= factor;
}

void LazyWeights::save(State& state) const {
  const std::size_t n = cells_.size();
  double* u = state.put<double>("weights.u", n).data();
  double* c = state.put<double>("weights.c", n).data();
  for (std::size_t i = 0; i < n; ++i) {
    u[i] = cells_[i].u;
    c[i] = cells_[i].c;
  }
  state.put_copy<std::uint8_t>("weights.epochs", epochs_);
  state.put_copy<double>("weights.owed", owed_);
  const double scalars[] = {scale_, epoch_scale_, scale_sum_.high(), norm_.high(), norm_.low()};
  state.put_copy<double>("weights.scalars", scalars);
  state.put_number("weights.scale_sum_low", scale_sum_.low());
  state.put_number("weights.iterate_weight", iterate_weight_);
}

Status LazyWeights::restore(const State& state) {
  const std::size_t n = cells_.size();
  GLIMPSE_TRY_ASSIGN(const auto u, finite_array(state, "weights.u", n));
  GLIMPSE_TRY_ASSIGN(const auto c, state.get<double>("weights.c", n));
  GLIMPSE_TRY_ASSIGN(const auto scalars, state.get<double>("weights.scalars", 5));
  GLIMPSE_TRY_ASSIGN(const auto epochs, state.get<std::uint8_t>("weights.epochs", epochs_.size()));
  GLIMPSE_TRY_ASSIGN(const auto owed, state.get<double>("weights.owed"));
  for (const std::uint8_t epoch : epochs)
    if (epoch > owed.size())
      return failure(ErrorCode::kCorrupt, "weights.epochs holds {}, but there are {}", epoch, owed.size());
  GLIMPSE_TRY_ASSIGN(const auto low, state.get_number<double>("weights.scale_sum_low", 0));
  GLIMPSE_TRY_ASSIGN(const auto weight, restored_iterate_weight(state));
  for (std::size_t i = 0; i < n; ++i) cells_[i] = {u[i], c[i]};
  scale_ = scalars[0];
  for (std::size_t group = 0; group < epochs_.size(); ++group) epochs_[group] = epochs[group];
  owed_.assign(owed.begin(), owed.end());
  epoch_scale_ = scalars[1];
  scale_sum_ = DoubleDouble(scalars[2], low);
  norm_ = DoubleDouble(scalars[3], scalars[4]);
  iterate_weight_ = weight;
  return {};
}

}  // namespace glimpse
