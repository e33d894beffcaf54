#pragma once

#include <cstdint>
#include <string>

#include "daemon/statistics.h"

namespace glimpse {

/// The table that vw's users know: a row whenever the number of examples has doubled, on standard error.
/// Pure: makes rows, prints nothing. Thread-safety: none.
class ProgressTable {
 public:
  /// Begins at `examples`, as after a restore.
  explicit ProgressTable(std::uint64_t examples, double loss_sum, std::uint64_t loss_count);

  /// Whether `examples` gets a row. Cheap: asked for each example.
  bool due(std::uint64_t examples) const { return examples >= next_; }

  /// `steps`: whether the learner does; else the last column is the examples in its newest model.
  static std::string header(bool steps = true);
  /// `loss` is Learner::progressive_loss(): its mean is the first column, the mean since the last row the
  /// second.
  std::string row(const Learner& learner, double label);

 private:
  std::uint64_t next_;
  double sum_;
  std::uint64_t count_;
};

}  // namespace glimpse
