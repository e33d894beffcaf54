#include "learn/covariance/attribute_screen.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace glimpse {

namespace {

constexpr std::size_t kLargestSample = std::size_t{1} << 18;  // attributes that π is fitted to
constexpr int kIterations = 20;                               // of EM a fit; the next one goes on from there
constexpr double kNullCount = 10;    // attributes that explain nothing, in addition to those there are
constexpr double kLevelCount = 0.1;  // attributes of each other level
constexpr std::size_t kDoubles = 7;
constexpr double kLargestUnit = 0x1p100;
constexpr double kForgotten = 0x1p-64;  // of all examples remembered

// τ_g = 4^(1−g), g = 1, …: from ρ² = 1 to one in 260,000.
double variance_of(std::size_t level) {
  return level == 0 ? 0 : std::ldexp(1.0, 2 - 2 * static_cast<int>(level));
}

}  // namespace

AttributeScreen::AttributeScreen(std::size_t dimension) : sums_(dimension) {
  static_assert(sizeof(Sums) == kBytesAnAttribute && kDoubles * sizeof(double) == sizeof(Sums));
  shares_.fill(1.0 / kLevels);
}

void AttributeScreen::add(std::span<const Attribute> attributes, std::span<const double> values, double label,
                          double weight) {
  weight *= unit_;
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    const double x = values[a];
    if (std::isnan(x)) continue;
    Sums& s = sums_[attributes[a]];
    if (!(s.weight > 0)) s.reference = x;
    const double u = x - s.reference;
    s.weight += weight;
    s.sum += weight * u;
    s.square += weight * u * u;
    s.label += weight * label;
    s.product += weight * u * label;
    s.largest = std::max(s.largest, std::abs(x) * root_unit_);
  }
}

void AttributeScreen::decay(double factor, double seen) {
  const double least = kForgotten * seen * unit_;
  for (Sums& s : sums_) s = s.weight < least ? Sums() : s * factor;
}

void AttributeScreen::forget(double factor, double seen) {
  if (factor < 1 / kLargestUnit) return decay(factor, seen);
  double unit = unit_ / factor;
  if (unit > kLargestUnit) {
    const int exponent = std::ilogb(unit) / 2 * 2;  // its root is a power of two as well
    unit = std::ldexp(unit, -exponent);
    decay(std::ldexp(1, -exponent), seen);
  }
  set_unit(unit);
}

void AttributeScreen::set_unit(double unit) {
  unit_ = unit;
  scale_ = 1 / unit;
  root_unit_ = std::sqrt(unit);
  root_scale_ = std::sqrt(scale_);
}

double AttributeScreen::mean(std::size_t i) const {
  const Sums& s = sums_[i];
  return s.weight > 0 ? s.reference + s.sum / s.weight : 0;
}

double AttributeScreen::variance(std::size_t i) const {
  const Sums& s = sums_[i];
  if (!(s.weight > 0)) return 0;
  const double mean = s.sum / s.weight;
  return std::max(s.square / s.weight - mean * mean, 0.0);
}

AttributeScreen::Raw AttributeScreen::raw(std::size_t i) const {
  const Sums s = sums_[i] * scale_;
  if (!(s.largest > 0)) return {0, std::sqrt(pooled_ / 2 / (s.weight + 0.5))};
  const double centre = centred_ ? s.sum / s.weight : -s.reference;  // about the reference
  const double offset = s.sum / s.weight - centre;
  const double spread = s.weight * (variance(i) + offset * offset) / (s.largest * s.largest);
  const double deviation = std::sqrt((spread + pooled_ / 2) / (s.weight + 0.5));
  const double about = centred_ ? label_mean_ : label_mean_ - label_offset_;
  const double product = s.product - about * s.sum - centre * s.label + s.weight * centre * about;
  const double scale = deviation * std::sqrt(label_variance_) * s.largest;
  return {scale > 0 ? product / ((s.weight + 1) * scale) : 0, deviation};
}

void AttributeScreen::fit(const LabelSums& label, bool centred) {
  centred_ = centred;
  label_mean_ = label.weight > 0 ? label.sum / label.weight : 0;
  label_offset_ = label.mean();
  label_variance_ = label.variance() + (centred ? 0 : label.mean() * label.mean());
  pooled_ = 0;
  double squares = 0;
  double counts = 0;
  for (std::size_t i = 0; i < dimension(); ++i) {
    const Sums s = sums_[i] * scale_;
    counts += s.weight;
    if (!(s.largest > 0)) continue;
    const double offset = centred ? 0 : mean(i);
    squares += s.weight * (variance(i) + offset * offset) / (s.largest * s.largest);
  }
  pooled_ = counts > 0 && squares > 0 ? squares / counts : 1;
  mean_deviation_ = 0;
  for (std::size_t i = 0; i < dimension(); ++i) mean_deviation_ += raw(i).deviation;
  mean_deviation_ /= static_cast<double>(dimension());

  // The likelihood of each ρ̂_i at each level, over that at level 0.
  const std::size_t stride = (dimension() + kLargestSample - 1) / kLargestSample;
  std::vector<float> likelihoods;
  likelihoods.reserve(dimension() / stride * kLevels);
  for (std::size_t i = 0; i < dimension(); i += stride) {
    const double n = weight(i);
    if (!(n > 0)) continue;
    const Raw r = raw(i);
    for (std::size_t g = 0; g < kLevels; ++g) {
      const double ratio = n * variance_of(g) * r.deviation / mean_deviation_;
      const double exponent = 0.5 * n * r.rho * r.rho * ratio / (1 + ratio) - 0.5 * std::log1p(ratio);
      likelihoods.push_back(static_cast<float>(std::exp(std::min(exponent, 80.0))));
    }
  }
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    std::array<double, kLevels> counted;
    counted.fill(kLevelCount);
    counted[0] = kNullCount;
    double total = kNullCount + kLevelCount * (kLevels - 1);
    for (std::size_t at = 0; at < likelihoods.size(); at += kLevels) {
      std::array<double, kLevels> part;
      double sum = 0;
      for (std::size_t g = 0; g < kLevels; ++g) {
        part[g] = shares_[g] * static_cast<double>(likelihoods[at + g]);
        sum += part[g];
      }
      for (std::size_t g = 0; g < kLevels; ++g) counted[g] += part[g] / sum;
      ++total;
    }
    for (std::size_t g = 0; g < kLevels; ++g) shares_[g] = counted[g] / total;
  }
}

AttributeScreen::Estimate AttributeScreen::estimate(std::size_t i) const {
  const double n = weight(i);
  const Raw r = raw(i);
  const double s = r.deviation / mean_deviation_;
  std::array<double, kLevels> exponents;
  double largest = 0;  // that of level 0
  for (std::size_t g = 0; g < kLevels; ++g) {
    const double ratio = n * s * variance_of(g);
    exponents[g] = 0.5 * n * r.rho * r.rho * ratio / (1 + ratio) - 0.5 * std::log1p(ratio);
    largest = std::max(largest, exponents[g]);
  }
  double total = 0;
  double squares = 0;
  for (std::size_t g = 0; g < kLevels; ++g) {
    const double share = shares_[g] * std::exp(exponents[g] - largest);
    const double prior = s * variance_of(g);
    const double keep = n * prior / (1 + n * prior);
    const double mean = keep * r.rho;
    total += share;
    squares += share * (mean * mean + prior / (1 + n * prior));
  }
  return {n, s, squares / total};
}

void AttributeScreen::save(State& state, const std::string& name) const {
  const auto room = state.put<double>(name + ".sums", sums_.size() * kDoubles);
  if (!sums_.empty()) std::memcpy(room.data(), sums_.data(), room.size_bytes());
  state.put_copy<double>(name + ".shares", shares_);
  state.put_number(name + ".unit", unit_);
}

Status AttributeScreen::restore(const State& state, const std::string& name) {
  const auto sums = state.get<double>(name + ".sums", sums_.size() * kDoubles);
  if (!sums) return sums.error();
  const auto shares = state.get<double>(name + ".shares", kLevels);
  if (!shares) return shares.error();
  const auto unit =
      state.get_number<double>(name + ".unit", 1.0);  // checkpoints from before forget() have none
  if (!unit) return unit.error();
  if (!(*unit >= 1 && *unit <= kLargestUnit))
    return failure(ErrorCode::kCorrupt, "{}.unit is {}, must be from 1 to 2^100", name, *unit);
  if (!sums_.empty()) std::memcpy(static_cast<void*>(sums_.data()), sums->data(), sums->size_bytes());
  std::copy(shares->begin(), shares->end(), shares_.begin());
  set_unit(*unit);
  return {};
}

}  // namespace glimpse
