#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/state.h"

namespace glimpse {

/// Which examples judge a model of classes: of each class hardly more than it had a share of when the model
/// was made, and no class stays away. Where classes come one after another, or late, a model hardly knows
/// those that come most, and is worse on them than the shares of classes, as no later model is; where the
/// most frequent one comes alone, its share is a better answer than any model's. Thread-safety: none.
class ClassQuota {
 public:
  /// Another model is judged from now on.
  void begin();
  /// An example of class `c`, which had `share` of the examples when the model was made: whether it judges.
  /// One does, and then up to twice that share of the examples since begin(). O(1).
  bool admits(std::size_t c, double share);
  /// Since begin() no class came less than half as often as its share says by more than chance explains, and
  /// neither did all classes together without the most frequent one. O(classes).
  bool is_balanced(std::span<const double> shares) const;

  /// "guard.classes", where there is something to save.
  void save(State& state) const;
  /// Errors: kCorrupt.
  Status restore(const State& state);

 private:
  std::uint64_t seen_ = 0;
  std::vector<std::uint64_t> admitted_;  // by class
};

}  // namespace glimpse
