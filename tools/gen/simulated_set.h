#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/result.h"

namespace glimpse {

/// Which of the two simulated sets of KS15 §5.1.
enum class SimulatedKind {
  kRidge,  ///< u on the unit L2 ball, w* fair in {−1, 1}^d
  kLasso,  ///< u on the unit L∞ ball, w*_i = −1, 0, 1 with probability .15, .7, .15
};

/// What to simulate: the kind of problem, its size, noise and seed.
struct SimulatedOptions {
  static constexpr double kLargestAlpha = 16;
  static constexpr double kLargestNoise = 1e6;
  static constexpr std::size_t kLargestDimension = std::numeric_limits<std::uint32_t>::max();

  SimulatedKind kind = SimulatedKind::kRidge;
  double alpha = -1;            ///< α: how fast the attributes' chances fall
  std::size_t dimension = 500;  ///< d ≥ 1
  double noise = 0;             ///< σ of what is added to labels; ≥ 0
  std::uint64_t flip_at = 0;    ///< from this example on (counted from 0) w* is −w*; 0: never
  std::uint64_t seed = 1;
};

/// Whether the options are in range: |alpha|, noise and dimension up to the largest above. The Error
/// (kInvalidOption) names them as on glimpse-gen's command line.
Status validate(const SimulatedOptions& options);

/// An endless stream of the simulated sets of KS15 §5.1:
///
///     u_i = i^α, i = 1 … d, scaled into the unit ball where it is outside     x_i ~ Bernoulli(u_i),
///     independent y = ⟨w*, x⟩ + σ·noise                                                    E[x_i²] = E[x_i]
///     = u_i
///
/// The noise is nearly_normal().
///
/// Example n depends on the seed and n alone, so a stream may be begun anywhere: seek() costs nothing.
/// w* depends on the kind, the dimension and the seed. Memory: 24 bytes an attribute. Cost: O(d) an example.
/// Thread-safety: none.
class SimulatedSet {
 public:
  /// REQUIRES validate(options).
  explicit SimulatedSet(const SimulatedOptions& options);

  std::size_t dimension() const { return weights_.size(); }

  /// The next example: its attributes into `values` (of length d); returns the label.
  double next(std::span<double> values);

  /// The next example will be number `example`, counted from 0.
  void seek(std::uint64_t example) { position_ = example; }
  std::uint64_t position() const { return position_; }

  /// w*, as it is before flip_at.
  std::span<const double> weights() const { return weights_; }
  /// u: of each attribute the mean, and the second moment as well.
  std::span<const double> moments() const { return chances_; }

 private:
  // Immutable after construction.
  SimulatedOptions options_;
  std::vector<double> chances_;            // u
  std::vector<std::uint64_t> thresholds_;  // u·2⁶³: x_i = 1 when 63 random bits are below it
  std::vector<double> weights_;            // w*
  std::uint64_t examples_seed_ = 0;        // example n has the seed examples_seed_ + n

  std::uint64_t position_ = 0;
};

}  // namespace glimpse
