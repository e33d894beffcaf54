#include "learn/draws/moment_weights.h"

namespace glimpse {

MomentWeights::MomentWeights(const SecondMoments& moments, bool normalised, double epsilon, MomentPower power,
                             MomentOf of)
    : moments_(moments), normalised_(normalised), epsilon_(epsilon), power_(power), of_(of) {
  const std::size_t d = moments.dimension();
  std::size_t seen = 0;
  double total = 0;
  for (std::size_t i = 0; i < d; ++i) {
    if (moments[i].count == 0) continue;
    ++seen;
    total += observed(i);
  }
  pooled_ = total > 0 ? total / static_cast<double>(seen) : 1;
  double powers = 0;
  for (std::size_t i = 0; i < d; ++i) {
    const double m = moment(i);
    sum_ += m;
    powers += powered(i);
  }
  mean_powered_ = powers / static_cast<double>(d);
}

double MomentWeights::half_norm() const {
  double roots = 0;
  for (std::size_t i = 0; i < moments_.dimension(); ++i) roots += std::sqrt(moment(i));
  return roots * roots;
}

double MomentWeights::half_norm_bound() const {
  double roots = 0;
  for (std::size_t i = 0; i < moments_.dimension(); ++i)
    roots += std::sqrt(2 * moment(i) + 10.0 / 3 * epsilon_);
  return roots * roots;
}

double MomentWeights::variance_bound() const {
  const std::size_t d = moments_.dimension();
  double weights = 0;
  double ratios = 0;
  double largest_ratio = 0;
  for (std::size_t i = 0; i < d; ++i) {
    const double a = moment(i);
    const double n = count(i) + 1;
    const double upper = a + std::sqrt(range_square(i) * a / n);
    const double q = (*this)(i);
    weights += q;
    ratios += upper / q;
    if (upper / q > largest_ratio) largest_ratio = upper / q;
  }
  return (power_ == MomentPower::kRoot ? ratios : largest_ratio) * weights;
}

double MomentWeights::uniform_variance() const {
  constexpr double kErrors = 2;
  const std::size_t d = moments_.dimension();
  double most = sum_;
  if (power_ == MomentPower::kFirst) {
    most = 0;
    for (std::size_t i = 0; i < d; ++i) {
      const auto largest = static_cast<double>(moments_[i].max_abs);
      const bool is_near = moments_[i].mean * moments_[i].mean < moments_[i].second / 2;
      const double range = is_near ? (normalised_ ? 1 : largest * largest) : range_square(i);
      const double a = moment(i);
      most = std::fmax(most, a - kErrors * std::sqrt(range * a / (count(i) + 1)));
    }
  }
  return static_cast<double>(d) * most;
}

double MomentWeights::largest_ratio() const {
  double weights = 0;
  double largest = 0;
  for (std::size_t i = 0; i < moments_.dimension(); ++i) {
    const double q = (*this)(i);
    weights += q;
    if (moment(i) / q > largest) largest = moment(i) / q;
  }
  return largest * weights;
}

void AttributeSampling::save(State& state) const {
  if (!table_.built()) return;
  state.put_copy<std::uint8_t>("sampling.levels", table_.levels());
  const std::uint32_t keys[] = {table_.lowest_key(), table_.shift()};
  state.put_copy<std::uint32_t>("sampling.keys", keys);
}

Status AttributeSampling::restore(const State& state) {
  table_ = LevelTable();
  if (state.find("sampling.levels") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto levels, state.get<std::uint8_t>("sampling.levels", dimension_));
  GLIMPSE_TRY_ASSIGN(const auto keys, state.get<std::uint32_t>("sampling.keys", 2));
  table_ = LevelTable(dimension_);
  if (!table_.restore(levels, keys[0], keys[1]))
    return failure(ErrorCode::kCorrupt, "sampling.keys is of no distribution: {} and {}", keys[0], keys[1]);
  return {};
}

}  // namespace glimpse
