#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace glimpse {

/// What pictures to draw.
struct PictureOptions {
  double noise = 0;           ///< σ of what is added to labels; ≥ 0
  std::uint64_t flip_at = 0;  ///< from this example on (counted from 0) labels have the other sign; 0: never
  std::uint64_t seed = 1;
};

/// An endless stream of drawn pictures of the digits 3 (label −1) and 5 (label +1), equally often: 28 × 28
/// pixels, row after row, from 0 (paper) to 1 (ink) in steps of 1/100. Each digit is a pen's stroke that is
/// turned, slanted, stretched and moved, with a thickness of its own, and whose corners stray. The two differ
/// where their upper halves do, so that a few hundred pixels tell nothing and some dozens almost everything.
///
/// The noise is nearly_normal(). Example n depends on the seed and n alone, and is the same on every machine:
/// it takes square roots and no other function. Cost: about 5,000 distances an example. Thread-safety: none.
class PictureSet {
 public:
  static constexpr std::size_t kSide = 28;
  static constexpr std::size_t kPixels = kSide * kSide;

  explicit PictureSet(const PictureOptions& options);

  /// The next example: its pixels into `pixels` (of length kPixels); returns the label.
  double next(std::span<double> pixels);

  /// The next example will be number `example`, counted from 0.
  void seek(std::uint64_t example) { position_ = example; }

 private:
  PictureOptions options_;
  std::uint64_t examples_seed_;  // example n has the seed examples_seed_ + n
  std::uint64_t position_ = 0;
};

}  // namespace glimpse
