#include "learn/lazy_weights.h"

namespace glimpse {

void LazyWeights::fold() {
  int exponent = 0;
  std::frexp(scale_, &exponent);
  const double factor = std::ldexp(1.0, exponent);
  for (Cell& cell : cells_) {
    cell.c -= cell.u * scale_sum_;
    cell.u *= factor;
  }
  scale_ /= factor;
  scale_sum_ = 0;
  norm_.scale_by_power_of_two(factor * factor);
}

void LazyWeights::save(State& state) const {
  const std::size_t n = cells_.size();
  double* u = state.put<double>("weights.u", n).data();
  double* c = state.put<double>("weights.c", n).data();
  for (std::size_t i = 0; i < n; ++i) {
    u[i] = cells_[i].u;
    c[i] = cells_[i].c;
  }
  const double scalars[] = {scale_, scale_sum_, norm_.high(), norm_.low()};
  state.put_copy<double>("weights.scalars", scalars);
  state.put_number("weights.iterates", iterates_);
}

Status LazyWeights::restore(const State& state) {
  const std::size_t n = cells_.size();
  const auto u = state.get<double>("weights.u", n);
  if (!u) return u.error();
  const auto c = state.get<double>("weights.c", n);
  if (!c) return c.error();
  const auto scalars = state.get<double>("weights.scalars", 4);
  if (!scalars) return scalars.error();
  const auto iterates = state.get_number<std::uint64_t>("weights.iterates");
  if (!iterates) return iterates.error();
  for (std::size_t i = 0; i < n; ++i) cells_[i] = {(*u)[i], (*c)[i]};
  scale_ = (*scalars)[0];
  scale_sum_ = (*scalars)[1];
  norm_ = DoubleDouble((*scalars)[2], (*scalars)[3]);
  iterates_ = *iterates;
  return {};
}

}  // namespace glimpse
