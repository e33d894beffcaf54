#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "learn/gauge/label_range.h"

namespace glimpse {

/// What --clip says: the interval that answers to questions are moved into. Learning never clips. With kAuto
/// Predictor also keeps attributes within_reach() of those seen, for learners that keep pairs; a value
/// that the learner would leave out as wild counts as missing.
/// Thread-safety: that of a value type.
struct Clip {
  /// Where the bounds come from.
  enum class Kind : std::uint8_t {
    kAuto,   ///< the labels learned from; no clipping before the first
    kOff,    ///< predictions as the model makes them
    kRange,  ///< [low, high]
  };
  Kind kind = Kind::kAuto;
  double low = 0;   ///< kRange: finite, below `high`
  double high = 0;  ///< kRange: finite

  /// The number of the interval that is nearest to `prediction`; NaN stays NaN. O(1).
  double apply(double prediction, const LabelRange& seen) const;

  /// As on the command line; parse_clip() reads it back to the same bits.
  std::string text() const;
  bool operator==(const Clip&) const = default;
};

/// "auto", "off" or "LO:HI". The Error (kInvalidOption) names option, value and constraint.
Result<Clip> parse_clip(std::string_view text);

/// What a classifier says of a record: numbers of all classes, by their codes. Valid until the next one.
struct ClassPrediction {
  std::span<const double> scores;         ///< Learner::class_scores()
  std::span<const double> probabilities;  ///< of these, by HoldOut::slope(); they sum to 1
  std::size_t predicted = 0;              ///< the most likely class; without any class 0

  std::size_t classes() const { return scores.size(); }
  double probability() const { return probabilities.empty() ? 0 : probabilities[predicted]; }
  /// log of the predicted class' probability over the next most likely one's, ≥ 0; infinite where there is no
  /// other.
  double margin() const;
  /// Σ_c (p_c − indicator_c)² of a record of class `of_class`, which may be none of these.
  double brier(std::size_t of_class) const;
};

}  // namespace glimpse
