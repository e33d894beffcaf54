#include "learn/classes/temperature.h"

#include <algorithm>
#include <cmath>

namespace glimpse {

namespace {

constexpr double kStep = 8;                 // slopes for each doubling
constexpr double kFirst = -4;               // log₂ of the least slope
constexpr double kPriorExamples = 12;       // of curvature 1 in log(slope): measured, CLASSES.md
constexpr double kLeastProbability = 1e-6;  // one example alone decides nothing

}  // namespace

double Temperature::slope_of(double index) { return std::exp2(kFirst + index / kStep); }

void Temperature::add(std::span<const double> scores, std::size_t of_class) {
  if (of_class >= scores.size()) return;
  const double most = *std::ranges::max_element(scores);
  if (!std::isfinite(most)) return;
  ++count_;
  for (std::size_t s = 0; s < kSlopes; ++s) {
    const double slope = slope_of(static_cast<double>(s));
    double sum = 0;
    for (const double score : scores) sum += std::exp(slope * (score - most));
    const double p = std::exp(slope * (scores[of_class] - most)) / sum;
    losses_[s] -= static_cast<double>(count_) * std::log(std::max(p, kLeastProbability));
  }
}

// The weights 1, 2, …, n sum to n(n + 1)/2, and count as n.
double Temperature::slope() const {
  const double weight = 2 / (static_cast<double>(count_) + 1);
  std::array<double, kSlopes> sums{};
  for (std::size_t s = 0; s < kSlopes; ++s) {
    const double away = std::log(slope_of(static_cast<double>(s)) / kUsual);
    sums[s] = weight * losses_[s] + kPriorExamples * away * away;
  }
  const auto least = static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin());
  const auto index = static_cast<double>(least);
  if (least == 0 || least + 1 == kSlopes) return slope_of(index);
  const double curvature = sums[least - 1] - 2 * sums[least] + sums[least + 1];
  const double shift = curvature > 0 ? (sums[least - 1] - sums[least + 1]) / (2 * curvature) : 0;
  return slope_of(index + std::clamp(shift, -0.5, 0.5));
}

// A sum whose weights are 1, 2, …, n is (n + 1)/2 times one whose weights are 1 in the mean.
void Temperature::merge(const Temperature& other) {
  const auto half = [](std::uint64_t count) { return (static_cast<double>(count) + 1) / 2; };
  const double all = half(count_ + other.count_);
  for (std::size_t s = 0; s < kSlopes; ++s)
    losses_[s] = all * (losses_[s] / half(count_) + other.losses_[s] / half(other.count_));
  count_ += other.count_;
}

void Temperature::save(State& state, const std::string& name) const {
  state.put_copy<double>(name + ".slopes", losses_);
  state.put_number(name + ".count", count_);
}

Status Temperature::restore(const State& state, const std::string& name) {
  *this = Temperature();
  if (state.find(name + ".count") == nullptr) return {};
  const auto count = state.get_number<std::uint64_t>(name + ".count");
  if (!count) return count.error();
  const auto losses = state.get<double>(name + ".slopes", kSlopes);
  if (!losses) return losses.error();
  std::copy(losses->begin(), losses->end(), losses_.begin());
  count_ = *count;
  return {};
}

}  // namespace glimpse
