#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/statistics/statistics.h"

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
  /// `holds_out`: row() is given what was. `are_classes`: of those the share that was predicted wrongly, the
  /// log loss and the Brier score are shown, and not their R2.
  static std::string header(bool steps = true, bool holds_out = false, bool are_classes = false);
  /// Learner::progressive_loss(): its mean is the first column, the mean of the recent ones and its standard
  /// error are the second and the third. R2 is of the recent loss, with its standard error; that of the
  /// recent records held out as well.
  std::string row(const Learner& learner, std::string_view label,
                  const std::optional<HeldOut>& held_out = std::nullopt);

 private:
  std::uint64_t next_;
};

}  // namespace glimpse
