#include "stats/second_moments.h"

#include <algorithm>
#include <cmath>

namespace glimpse {

float SecondMoments::next_float(float value) {
  return std::nextafter(value, std::numeric_limits<float>::infinity());
}

void SecondMoments::merge(const SecondMoments& other, std::span<const Attribute> attributes) {
  for (std::size_t i = 0; i < other.dimension(); ++i) {
    const Moment& theirs = other.moments_[i];
    Moment& ours = moments_[attributes.empty() ? i : attributes[i]];
    ours.max_abs = std::max(ours.max_abs, theirs.max_abs);
    if (theirs.count == 0 || ours.count == kCertain) continue;
    const std::uint64_t all = std::uint64_t{ours.count} + theirs.count;
    const double share = static_cast<double>(theirs.count) / static_cast<double>(all);
    ours.mean += share * (theirs.mean - ours.mean);
    ours.second += share * (theirs.second - ours.second);
    ours.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(all, kCertain));
  }
}

void SecondMoments::save(State& state) const {
  const std::size_t d = moments_.size();
  const auto mean = state.put<double>("moments.mean", d).data();
  const auto second = state.put<double>("moments.second", d).data();
  const auto count = state.put<std::uint32_t>("moments.count", d).data();
  const auto max_abs = state.put<float>("moments.max_abs", d).data();
  for (std::size_t i = 0; i < d; ++i) {
    mean[i] = moments_[i].mean;
    second[i] = moments_[i].second;
    count[i] = moments_[i].count;
    max_abs[i] = moments_[i].max_abs;
  }
}

Status SecondMoments::restore(const State& state) {
  const std::size_t d = moments_.size();
  GLIMPSE_TRY_ASSIGN(const auto mean, state.get<double>("moments.mean", d));
  GLIMPSE_TRY_ASSIGN(const auto second, state.get<double>("moments.second", d));
  GLIMPSE_TRY_ASSIGN(const auto count, state.get<std::uint32_t>("moments.count", d));
  GLIMPSE_TRY_ASSIGN(const auto max_abs, state.get<float>("moments.max_abs", d));
  for (std::size_t i = 0; i < d; ++i) moments_[i] = {mean[i], second[i], count[i], max_abs[i]};
  return {};
}

}  // namespace glimpse
