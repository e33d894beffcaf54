#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "base/types.h"

namespace glimpse {

/// A simulated stream of very many attributes of which some matter.
struct WideOptions {
  static constexpr std::size_t kLargestDimension = std::numeric_limits<std::uint32_t>::max();
  static constexpr double kLowestAlpha = -16;
  static constexpr double kLargestNoise = 1e6;

  std::size_t dimension = 100'000;  ///< d ≥ 1
  double chance = 0.5;              ///< of the first attribute, 0 < chance ≤ 1
  double alpha = 0;                 ///< attribute i = 1 … d has the chance u_i = chance·i^alpha; alpha ≤ 0
  std::size_t relevant = 50;        ///< attributes whose weight is −1 or 1, fairly; 1 ≤ relevant ≤ d
  std::size_t group = 1;            ///< attributes come in groups of so many neighbours; divides `relevant`
  double agreement = 0;             ///< the correlation within a group is agreement²; from 0 to 1
  double noise = 0;                 ///< σ of what is added to labels; ≥ 0
  std::uint64_t seed = 1;
};

/// Whether the options are in range and agree: Errors (kInvalidOption) name them as on the command line.
Status validate(const WideOptions& options);

/// An endless stream of examples that are never held: the value of an attribute is computed when it is asked
/// for.
///
///     x_i ~ Bernoulli(u_i)     y = ⟨w*, x⟩ + σ·noise     w*_i = ±1 for the relevant ones, else 0
///
/// Which attributes are relevant is drawn by whole groups; a part of a group at the end of the dimension
/// never is. With agreement c an attribute takes its group's common value with probability c and its own
/// otherwise (alpha must be 0 then), so that relevant attributes are correlated c² with each other. The noise
/// is that of SimulatedSet. Example n depends on seed and n alone.
///
/// Memory: 17 bytes an attribute. Cost of an example: O(relevant), and O(1) a value. Thread-safety: none.
class WideSet {
 public:
  /// REQUIRES validate(options).
  explicit WideSet(const WideOptions& options);

  std::size_t dimension() const { return chances_.size(); }

  /// Goes on to the next example; returns its label.
  double next();
  /// x_i of the present example.
  double value(Attribute attribute) const;

  /// w*.
  std::span<const double> weights() const { return weights_; }
  /// u: of each attribute the mean, and the second moment as well.
  std::span<const double> moments() const { return chances_; }

  /// The mean of (bias + ⟨weights, x⟩ − y)² over all examples that there could be, exactly. O(d).
  double risk(std::span<const double> weights, double bias) const;
  /// The same for the best constant: the labels' variance.
  double variance() const;

 private:
  // Immutable after construction.
  WideOptions options_;
  std::vector<double> chances_;
  std::vector<double> weights_;
  std::vector<Attribute> relevant_;  // ascending
  std::uint64_t agrees_ = 0;         // agreement·2³²
  std::uint64_t examples_seed_ = 0;

  std::uint64_t position_ = 0;
  std::uint64_t example_ = 0;  // of the present example: what its values are computed from
};

}  // namespace glimpse
