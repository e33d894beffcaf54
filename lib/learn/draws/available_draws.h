#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/random.h"
#include "base/types.h"

namespace glimpse {

/// Draws with replacement from a few weights that are there for one plan: their running sums, and a search.
/// Thread-safety: none.
class RunningSums {
 public:
  void begin() { sums_.clear(); }
  /// `weight` ≥ 0.
  void add(double weight) { sums_.push_back(total() + weight); }

  double total() const { return sums_.empty() ? 0 : sums_.back(); }

  /// The place of one with probability weight/total(); never of weight 0. REQUIRES total() > 0. O(log n).
  std::size_t sample(Random& random) const {
    const double at = random.uniform() * total();
    auto found = std::upper_bound(sums_.begin(), sums_.end(), at);
    if (found == sums_.end()) found = std::lower_bound(sums_.begin(), sums_.end(), total());
    return static_cast<std::size_t>(found - sums_.begin());
  }

 private:
  std::vector<double> sums_;
};

/// Draws one after another without replacement from a few attributes, each with its weight over those of all
/// that are left. Thread-safety: none.
class SequentialDraws {
 public:
  struct Drawn {
    Attribute attribute;
    double coefficient;  ///< 1/probability given what was drawn before
  };

  void begin() { left_.clear(); }
  /// `weight` > 0.
  void add(Attribute attribute, double weight) { left_.push_back({attribute, weight}); }
  std::size_t size() const { return left_.size(); }

  /// REQUIRES size() > 0. O(size()).
  Drawn draw(Random& random) {
    double total = 0;
    for (const Candidate& candidate : left_) total += candidate.weight;
    double rest = random.uniform() * total;
    std::size_t chosen = 0;
    while (chosen + 1 < left_.size() && rest >= left_[chosen].weight) rest -= left_[chosen++].weight;
    const Drawn drawn{left_[chosen].attribute, total / left_[chosen].weight};
    left_[chosen] = left_.back();
    left_.pop_back();
    return drawn;
  }

  /// Those for which keep(attribute) is false cannot be drawn any more.
  template <class Keep>
  void keep_only(const Keep& keep) {
    std::erase_if(left_, [&](const Candidate& candidate) { return !keep(candidate.attribute); });
  }

 private:
  struct Candidate {
    Attribute attribute;
    double weight;
  };
  std::vector<Candidate> left_;
};

}  // namespace glimpse
