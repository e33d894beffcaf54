#include "learn/iterates/exponentiated_weights.h"

#include "learn/iterates/finite_array.h"
#include "learn/iterates/iterate_weight.h"

namespace glimpse {

namespace {
constexpr double kBounds = 0x1p6;     // Z stays within this factor of the number of terms
constexpr double kLargestSinh = 700;  // of θ: beyond, sinh(θ) is no number
constexpr int kMostPasses = 100;      // of restart(); it takes about ten
constexpr double kInside = 0.99;      // of the ball: where restart() brings what lies outside
}  // namespace

ExponentiatedWeights::ExponentiatedWeights(std::size_t size, std::optional<double> radius)
    : cells_(size), radius_(radius.value_or(1)) {
  add_up();
}

double ExponentiatedWeights::term(double theta) const {
  return std::exp(theta - exponent_) + std::exp(-theta - exponent_);
}

double ExponentiatedWeights::difference(double theta) const {
  // Near 0 the two exponentials would cancel.
  if (std::abs(theta) < 1) return 2 * std::sinh(theta) * std::exp(-exponent_);
  return std::exp(theta - exponent_) - std::exp(-theta - exponent_);
}

void ExponentiatedWeights::set_exponent(std::size_t i, double theta) {
  Cell& cell = cells_[i];
  sum_.add(-term(cell.theta));
  sum_.add(term(theta));
  const double u = difference(theta);
  cell.c += (u - cell.u) * scale_sum_.value();
  cell.u = u;
  cell.theta = theta;
}

void ExponentiatedWeights::change_unit(std::size_t i, double before, double now) {
  const double theta = cells_[i].theta;
  if (theta == 0) return;
  // sinh is the exponential for large θ, and too large for a double for larger ones.
  const double large = 20;
  const double shift = std::log(before / now);
  set_exponent(i, std::abs(theta) > large - shift ? theta + (theta > 0 ? shift : -shift)
                                                  : std::asinh(std::sinh(theta) * (before / now)));
}

void ExponentiatedWeights::shrink_unit(std::size_t i, double before, double now) {
  const double past = cells_[i].u * scale_sum_.value() - cells_[i].c;
  change_unit(i, now, before);
  cells_[i].c = cells_[i].u * scale_sum_.value() - past * (now / before);
}

bool ExponentiatedWeights::end_step() {
  const auto terms = 2 * static_cast<double>(cells_.size());
  const double sum = sum_.value();
  if (sum < kBounds * terms && sum * kBounds > terms) return false;
  const double past = scale_sum_.value();
  for (Cell& cell : cells_) cell.c -= cell.u * past;
  scale_sum_ = DoubleDouble();
  exponent_ += std::log(sum / terms);
  add_up();
  return true;
}

void ExponentiatedWeights::add_up() {
  sum_ = DoubleDouble();
  for (Cell& cell : cells_) {
    sum_.add(term(cell.theta));
    cell.u = difference(cell.theta);
  }
}

void ExponentiatedWeights::scale_average(double factor) {
  for (Cell& cell : cells_) cell.c *= factor;
  scale_sum_.scale_by_power_of_two(factor);
  iterate_weight_ *= factor;
}

double ExponentiatedWeights::averaged(std::size_t i, double unit) const {
  if (iterate_weight_ == 0) return weight(i, unit);
  if (!(unit > 0)) return 0;
  return (cells_[i].u * scale_sum_.value() - cells_[i].c) / (iterate_weight_ * unit);
}

void ExponentiatedWeights::restart(double radius) {
  for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i].c = averaged(i, 1);
  restart_from_c(radius);
}

// Of w_i = B·sinh θ_i/Σ cosh θ_j with a_i = w_i/B and r = 1/Σ cosh θ_j follows sinh θ_i = a_i/r and
// Σ √(r² + a_i²) = 1. The left side is convex and grows with r, so Newton's method from the right, r = 1/n,
// falls upon the root without passing it.
void ExponentiatedWeights::restart_from_c(double radius) {
  const auto n = static_cast<double>(cells_.size());
  double norm = 0;
  for (Cell& cell : cells_) {
    cell.c /= radius;
    norm += std::abs(cell.c);
  }
  if (norm >= 1)
    for (Cell& cell : cells_) cell.c *= kInside / norm;
  radius_ = radius;
  double r = 1 / n;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    double sum = -1;
    double slope = 0;
    for (const Cell& cell : cells_) {
      const double root = std::sqrt(r * r + cell.c * cell.c);
      sum += root;
      slope += r / root;
    }
    const double next = r - sum / slope;
    if (!(next < r) || !(next > 0)) break;
    r = next;
  }
  for (Cell& cell : cells_) cell = {std::clamp(std::asinh(cell.c / r), -kLargestSinh, kLargestSinh), 0, 0};
  exponent_ = -std::log(r * n);
  scale_sum_ = DoubleDouble();
  iterate_weight_ = 0;
  add_up();
}

void ExponentiatedWeights::save(State& state) const {
  const std::size_t n = cells_.size();
  double* theta = state.put<double>("weights.theta", n).data();
  double* c = state.put<double>("weights.c", n).data();
  for (std::size_t i = 0; i < n; ++i) {
    theta[i] = cells_[i].theta;
    c[i] = cells_[i].c;
  }
  const double scalars[] = {exponent_, sum_.high(), sum_.low(), scale_sum_.high()};
  state.put_copy<double>("weights.scalars", scalars);
  state.put_number("weights.scale_sum_low", scale_sum_.low());
  state.put_number("weights.iterate_weight", iterate_weight_);
}

Status ExponentiatedWeights::restore(const State& state) {
  const std::size_t n = cells_.size();
  GLIMPSE_TRY_ASSIGN(const auto theta, finite_array(state, "weights.theta", n));
  GLIMPSE_TRY_ASSIGN(const auto c, state.get<double>("weights.c", n));
  GLIMPSE_TRY_ASSIGN(const auto scalars, state.get<double>("weights.scalars", 4));
  GLIMPSE_TRY_ASSIGN(const auto low, state.get_number<double>("weights.scale_sum_low", 0));
  GLIMPSE_TRY_ASSIGN(const auto weight, restored_iterate_weight(state));
  exponent_ = scalars[0];
  sum_ = DoubleDouble(scalars[1], scalars[2]);
  scale_sum_ = DoubleDouble(scalars[3], low);
  iterate_weight_ = weight;
  for (std::size_t i = 0; i < n; ++i) cells_[i] = {theta[i], difference(theta[i]), c[i]};
  return {};
}

}  // namespace glimpse
