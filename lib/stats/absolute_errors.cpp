#include "stats/absolute_errors.h"

#include <algorithm>
#include <numeric>

namespace glimpse {

namespace {
constexpr int kLargestExponent = 128;
constexpr int kBinsAPower = 4;
constexpr std::size_t kBins = 2 * kLargestExponent * kBinsAPower;
constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 60;

std::size_t bin_of(double size) {
  int exponent = 0;
  const double part = std::frexp(size, &exponent);  // 0.5 to 1, or 0
  if (part == 0 || exponent <= -kLargestExponent) return 0;
  if (exponent > kLargestExponent) return kBins - 1;
  const auto within = static_cast<int>((2 * part - 1) * kBinsAPower);
  return static_cast<std::size_t>((exponent - 1 + kLargestExponent) * kBinsAPower + within);
}

double lower_end(std::size_t bin) {
  const int power = static_cast<int>(bin) / kBinsAPower - kLargestExponent;
  return bin == 0 ? 0 : std::ldexp(1 + static_cast<double>(bin % kBinsAPower) / kBinsAPower, power);
}
}  // namespace

void AbsoluteErrors::add(double error) {
  const double size = std::abs(error);
  if (!std::isfinite(size)) return;
  if (bins_.empty()) bins_.resize(kBins);
  ++bins_[bin_of(size)];
  ++count_;
  mean_ += (size - mean_) / static_cast<double>(count_);
}

double AbsoluteErrors::median() const {
  if (count_ == 0) return std::nan("");
  double below = static_cast<double>(count_) / 2;
  std::size_t bin = 0;
  for (; below > static_cast<double>(bins_[bin]); ++bin) below -= static_cast<double>(bins_[bin]);
  return std::lerp(lower_end(bin), lower_end(bin + 1), below / static_cast<double>(bins_[bin]));
}

void AbsoluteErrors::merge(const AbsoluteErrors& other) {
  if (other.count_ == 0) return;
  bins_.resize(kBins);
  for (std::size_t b = 0; b < kBins; ++b) bins_[b] += other.bins_[b];
  count_ += other.count_;
  mean_ += (other.mean_ - mean_) * (static_cast<double>(other.count_) / static_cast<double>(count_));
}

void AbsoluteErrors::save(State& state, const std::string& name) const {
  if (count_ == 0) return;
  state.put_number(name + ".absolute_mean", mean_);
  state.put_copy<std::uint64_t>(name + ".absolute_counts", bins_);
}

Status AbsoluteErrors::restore(const State& state, const std::string& name) {
  *this = AbsoluteErrors();
  if (state.find(name + ".absolute_counts") == nullptr) return {};
  const auto counts = state.get<std::uint64_t>(name + ".absolute_counts", kBins);
  if (!counts) return counts.error();
  const auto mean = state.get_number<double>(name + ".absolute_mean");
  if (!mean) return mean.error();
  if (!(*mean >= 0 && std::isfinite(*mean)) || std::ranges::max(*counts) > kMostCounted / kBins)
    return failure(ErrorCode::kCorrupt,
                   "{0}.absolute_mean is {1}, or {0}.absolute_counts are beyond counting", name, *mean);
  count_ = std::accumulate(counts->begin(), counts->end(), std::uint64_t{0});
  mean_ = *mean;
  bins_.assign(counts->begin(), counts->end());
  return {};
}

}  // namespace glimpse
