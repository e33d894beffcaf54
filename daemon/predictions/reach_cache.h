#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "learn/core/learner.h"

namespace glimpse {

/// Caches Learner::reach() of attributes until the learner changes. Predictions that follow one another use
/// the same values. Memory: 32 bytes for each of the first kMost attributes; the others are not cached.
/// Thread-safety: none; the learner's thread.
class ReachCache {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 16;

  /// Before the values of a record. `learner` outlives the next within().
  void begin(const Learner& learner) {
    if (learner_ == &learner && changes_ == learner.changes()) return;
    learner_ = &learner;
    changes_ = learner.changes();
    if (++generation_ == 0) {  // there are bounds of earlier ones of that number
      bounds_.clear();
      generation_ = 1;
    }
    bounds_.resize(std::min(learner.options().dimension, kMost));
  }

  /// within_reach(value, learner.reach(attribute)). REQUIRES: begin().
  double within(Attribute attribute, double value) {
    if (attribute >= bounds_.size()) return within_reach(value, learner_->reach(attribute));
    Bounds& bounds = bounds_[attribute];
    if (bounds.generation != generation_) bounds = bounds_of(learner_->reach(attribute));
    return value < bounds.low || value > bounds.high ? NAN : std::clamp(value, -bounds.most, bounds.most);
  }

 private:
  struct Bounds {
    double low, high, most;
    std::uint32_t generation;
  };

  Bounds bounds_of(const AttributeReach& reach) const {
    const double most = reach.largest > 0 ? reach_of(reach.largest) : std::numeric_limits<double>::infinity();
    return {reach.low, reach.high, most, generation_};
  }

  const Learner* learner_ = nullptr;
  std::uint64_t changes_ = 0;
  std::uint32_t generation_ = 0;  // of nothing
  std::vector<Bounds> bounds_;
};

}  // namespace glimpse
