#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "base/large_array.h"
#include "base/state.h"
#include "base/types.h"

namespace glimpse {

/// What is known of one attribute from the times it was revealed.
struct Moment {
  double mean = 0;          ///< running mean of x, in the attribute's unit
  double second = 0;        ///< running mean of x² (A_i of KS15, Algorithm 2), in its square
  std::uint32_t count = 0;  ///< times revealed; stays at 2³² − 1
  float max_abs = 0;        ///< the largest |x|, rounded up to a float

  /// The second moment of x − mean: `second` − mean², and second/n² besides, for what n reveals cannot tell.
  /// So it is `second` itself after one reveal, from which nothing is known of the spread, and it is above 0
  /// unless x was 0 each time.
  double spread() const {
    if (count == 0) return 0;
    const auto n = static_cast<double>(count);
    const double variance = second - mean * mean;
    return (variance > 0 ? variance : 0) + second / (n * n);
  }
};

/// Running first and second moments of every attribute: plain means over the examples that revealed it. Which
/// attributes an example reveals does not depend on its own values, but on those before it, so that means of
/// few reveals are somewhat too small (learn/gradient/PHASES.md). After 2³² − 1 reveals of an attribute its
/// means become exponential ones with a window of that length. Memory: 24 bytes an attribute. Cost: O(1) an
/// update. Thread-safety: none.
class SecondMoments {
 public:
  static constexpr std::uint32_t kCertain = std::numeric_limits<std::uint32_t>::max();

  /// A sum of weights as a count: at most kCertain; 0 where it is negative or no number.
  static std::uint32_t count_of(double weight) {
    if (!(weight > 0)) return 0;
    return weight < kCertain ? static_cast<std::uint32_t>(weight) : kCertain;
  }

  SecondMoments() = default;
  explicit SecondMoments(std::size_t dimension) : moments_(dimension) {}

  std::size_t dimension() const { return moments_.size(); }

  void update(Attribute attribute, double value) {
    Moment& m = moments_[attribute];
    if (m.count != kCertain) ++m.count;
    const double gain = 1.0 / m.count;
    m.mean += (value - m.mean) * gain;
    m.second += (value * value - m.second) * gain;
    raise_max(m, value);
  }

  /// Counts half of the reveals so far, rounded up: means forget. The largest values stay, see age_largest().
  /// O(d).
  void halve() {
    for (Moment& m : moments_) m.count = m.count / 2 + (m.count & 1);
  }

  /// After halve(): the largest value of an attribute is no more than √(2·Σx²) of what is remembered, which
  /// the values since the last halving never exceed: what was larger has been forgotten.
  void age_largest(Attribute attribute) {
    Moment& m = moments_[attribute];
    const double most = std::sqrt(2 * m.second * m.count);
    if (static_cast<double>(m.max_abs) > most) m.max_abs = next_float(static_cast<float>(most));
  }

  /// The same where the moments are known from elsewhere and stay. The largest value becomes 1/√2 of itself,
  /// as a deviation does of which half was forgotten, but no less than the root of the second moment.
  void lower_largest(Attribute attribute) {
    Moment& m = moments_[attribute];
    const double least = std::max(static_cast<double>(m.max_abs) * 0.70710678118654752, std::sqrt(m.second));
    m.max_abs = std::min(m.max_abs, next_float(static_cast<float>(least)));
  }

  /// Replaces what is known of an attribute, as when its moments are read from a file. `count` of kCertain:
  /// known exactly.
  void set(Attribute attribute, const Moment& moment) { moments_[attribute] = moment; }

  /// Adds the reveals that `other` has seen; its attribute i is attributes[i] here, without attributes i.
  /// What is known exactly stays. O(d).
  void merge(const SecondMoments& other, std::span<const Attribute> attributes);

  const Moment& operator[](std::size_t attribute) const { return moments_[attribute]; }

  void prefetch_attribute(Attribute attribute) const { prefetch(&moments_[attribute]); }

  std::size_t memory_bytes() const { return moments_.size() * sizeof(Moment); }

  void save(State& state) const;
  Status restore(const State& state);

 private:
  static void raise_max(Moment& m, double value) {
    const double magnitude = value < 0 ? -value : value;
    if (magnitude <= static_cast<double>(m.max_abs)) return;
    auto rounded = static_cast<float>(magnitude);
    if (static_cast<double>(rounded) < magnitude) rounded = next_float(rounded);
    m.max_abs = rounded;
  }
  static float next_float(float value);

  LargeArray<Moment> moments_;
};

}  // namespace glimpse
