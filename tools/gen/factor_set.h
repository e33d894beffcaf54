#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace glimpse {

/// A simulated stream whose attributes all have a few hidden factors in common.
struct FactorOptions {
  std::size_t factors = 3;      ///< F, from 1 to 1,000
  std::size_t dimension = 500;  ///< d ≥ 1
  std::uint64_t seed = 1;
};

/// Whether the options are in range. The Error (kInvalidOption) names option, value and constraint.
Status validate(const FactorOptions& options);

/// An endless stream of attributes that are noisy views of F factors:
///
///     x = Λf + e     y = ⟨β, f⟩ + noise
///
/// f and e are standard normal and independent, Λ (d × F) is normal with variance 1/F, so that the common
/// part of an attribute has variance 1 in the mean, as much as its noise. β is a random direction, ‖β‖₂ = 1,
/// and the label's noise has variance 1/9: the factors explain .9 of the label's variance. From x they can
/// only be guessed, the better the more attributes are known. Normal numbers are nearly_normal().
///
/// Example n depends on the seed and n alone. Λ and β depend on F, the dimension and the seed. Memory: 8·F
/// bytes an attribute. Cost: O(d·F) an example. Thread-safety: none.
class FactorSet {
 public:
  static constexpr double kExplained = 0.9;  ///< R² of the label against the factors

  /// REQUIRES validate(options).
  explicit FactorSet(const FactorOptions& options);

  std::size_t dimension() const { return options_.dimension; }

  /// The next example: its attributes into `values` (of length d); returns the label.
  double next(std::span<double> values);

  /// The next example will be number `example`, counted from 0.
  void seek(std::uint64_t example) { position_ = example; }

  /// Row i of Λ, of length F.
  std::span<const double> loadings(std::size_t i) const {
    return std::span(loadings_).subspan(i * options_.factors, options_.factors);
  }
  /// β.
  std::span<const double> weights() const { return weights_; }
  /// f of the last example; zeros before the first.
  std::span<const double> factors() const { return factors_; }

 private:
  // Immutable after construction.
  FactorOptions options_;
  std::vector<double> loadings_;  // Λ, row after row
  std::vector<double> weights_;   // β
  double noise_ = 0;              // σ of the label's noise
  std::uint64_t examples_seed_ = 0;

  std::vector<double> factors_;
  std::uint64_t position_ = 0;
};

}  // namespace glimpse
