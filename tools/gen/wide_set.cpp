#include "gen/wide_set.h"

#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "gen/nearly_normal.h"

namespace glimpse {

namespace {

constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;

// The output function of SplitMix64 (Steele, Lea & Flood 2014): word n of the stream that begins at `seed` is
// mix(seed + n·kStep), so any word can be had without those before it.
std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

Error invalid(const char* option, double value, std::string_view constraint) {
  return failure(ErrorCode::kInvalidOption, "--{} is {}; it must be {}", option, value, constraint);
}

}  // namespace

Status validate(const WideOptions& o) {
  if (o.dimension < 1 || o.dimension > WideOptions::kLargestDimension)
    return invalid("dimension", static_cast<double>(o.dimension),
                   fmt::format("from 1 to {}", WideOptions::kLargestDimension));
  if (!(o.chance > 0 && o.chance <= 1)) return invalid("chance", o.chance, "above 0 and at most 1");
  if (!(o.alpha >= WideOptions::kLowestAlpha && o.alpha <= 0))
    return invalid("alpha", o.alpha, fmt::format("from {} to 0", WideOptions::kLowestAlpha));
  if (!(o.agreement >= 0 && o.agreement <= 1)) return invalid("agreement", o.agreement, "from 0 to 1");
  if (!(o.noise >= 0 && o.noise <= WideOptions::kLargestNoise))
    return invalid("noise", o.noise, fmt::format("from 0 to {}", WideOptions::kLargestNoise));
  if (o.group < 1 || o.group > o.dimension)
    return invalid("group", static_cast<double>(o.group), "from 1 to the dimension");
  if (o.relevant < 1 || o.relevant % o.group != 0 || o.relevant / o.group > o.dimension / o.group)
    return invalid("relevant", static_cast<double>(o.relevant),
                   "from 1 to the dimension, and a multiple of --group");
  if (o.agreement > 0 && o.alpha != 0) return invalid("agreement", o.agreement, "0 where --alpha is not 0");
  return {};
}

WideSet::WideSet(const WideOptions& options)
    : options_(options), chances_(options.dimension), weights_(options.dimension) {
  for (std::size_t i = 0; i < chances_.size(); ++i)
    chances_[i] = options.chance * std::pow(static_cast<double>(i + 1), options.alpha);
  agrees_ = static_cast<std::uint64_t>(options.agreement * 0x1p32);
  Random random(options.seed);
  // Each group in turn is taken with the chance that makes every set of groups equally likely.
  const std::size_t groups = options.dimension / options.group;
  std::size_t wanted = options.relevant / options.group;
  for (std::size_t g = 0; g < groups; ++g) {
    if (random.below(groups - g) >= wanted) continue;
    --wanted;
    for (std::size_t i = g * options.group; i < (g + 1) * options.group; ++i) {
      weights_[i] = random.uniform() < 0.5 ? -1 : 1;
      relevant_.push_back(static_cast<Attribute>(i));
    }
  }
  examples_seed_ = Random(~options.seed).bits();
}

double WideSet::next() {
  example_ = mix(examples_seed_ + position_ * kStep);
  ++position_;
  double label = 0;
  for (const Attribute i : relevant_) label += weights_[i] * value(i);
  if (options_.noise > 0) {
    Random random(~example_);
    label += options_.noise * nearly_normal(random);
  }
  return label;
}

double WideSet::value(Attribute attribute) const {
  // Words 0 … d − 1 are the attributes', those from 2³² on the groups'.
  std::uint64_t word = mix(example_ + attribute * kStep);
  if (agrees_ > 0 && (word >> 32) < agrees_)
    word = mix(example_ + ((std::uint64_t{1} << 32) + attribute / options_.group) * kStep);
  // The high half chose whose value it is, the low half what value.
  return static_cast<double>(word & 0xffffffff) < chances_[attribute] * 0x1p32 ? 1 : 0;
}

// For δ = weights − w*: (bias + Σδ_iu_i)² + Σ_g v_g((1 − c²)Σδ_i² + c²(Σδ_i)²) + σ², sums over the group g.
double WideSet::risk(std::span<const double> weights, double bias) const {
  const double c2 = options_.agreement * options_.agreement;
  double offset = bias;
  double spread = options_.noise * options_.noise;
  for (std::size_t begin = 0; begin < chances_.size(); begin += options_.group) {
    double sum = 0;
    double squares = 0;
    for (std::size_t i = begin; i < chances_.size() && i < begin + options_.group; ++i) {
      const double difference = weights[i] - weights_[i];
      const double deviation = std::sqrt(chances_[i] * (1 - chances_[i]));
      offset += difference * chances_[i];
      sum += difference * deviation;
      squares += difference * difference * deviation * deviation;
    }
    spread += (1 - c2) * squares + c2 * sum * sum;
  }
  return spread + offset * offset;
}

double WideSet::variance() const {
  double mean = 0;
  for (std::size_t i = 0; i < chances_.size(); ++i) mean += weights_[i] * chances_[i];
  return risk(std::vector<double>(chances_.size(), 0.0), mean);
}

}  // namespace glimpse
