#pragma once

#include <cstdint>
#include <string>

#include "daemon/training/statistics.h"

namespace glimpse {

/// The table that vw's users know: a row whenever the number of examples has doubled, on standard error.
/// Pure: makes rows, prints nothing. Thread-safety: none.
class ProgressTable {
 public:
  /// Begins where `learner` is, as after a restore.
  explicit ProgressTable(const Learner& learner);

  /// Whether `examples` gets a row. Cheap: asked for each example.
  bool due(std::uint64_t examples) const { return examples >= next_; }

  /// Effective attributes are SamplingSpread's: d while draws are uniform.
  /// `steps`: whether the learner does; else the last column is the examples in its newest model.
  static std::string header(bool steps = true);
  /// Learner::progressive_loss(): its mean is the first column, the mean since the last row and its standard
  /// error are the second and the third.
  std::string row(const Learner& learner, double label);

 private:
  std::uint64_t next_;
  ProgressiveLoss::Part last_;  // as of the last row
};

}  // namespace glimpse
