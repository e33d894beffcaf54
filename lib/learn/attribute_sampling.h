#pragma once

#include <cstddef>

#include "base/random.h"
#include "base/state.h"
#include "sampling/level_table.h"

namespace glimpse {

/// The distribution q of the data-point draws: uniform until it is planned. O(1) a draw. Thread-safety: none.
class AttributeSampling {
 public:
  AttributeSampling() = default;
  explicit AttributeSampling(std::size_t dimension) : dimension_(dimension) {}

  LevelTable::Draw sample(Random& random) const {
    if (table_.built()) return table_.sample(random);
    return {static_cast<Attribute>(random.below(dimension_)), uniform_probability()};
  }
  double probability(Attribute attribute) const {
    return table_.built() ? table_.probability(attribute) : uniform_probability();
  }

  /// q_i ∝ weight(i), see LevelTable::build(). O(d); allocates at the first call only.
  template <class Weight>
  void plan(const Weight& weight) {
    if (table_.size() != dimension_) table_ = LevelTable(dimension_);
    table_.build(weight);
  }

  std::size_t memory_bytes() const { return table_.memory_bytes(); }

  void save(State& state) const;
  Status restore(const State& state);

 private:
  double uniform_probability() const { return 1.0 / static_cast<double>(dimension_); }

  std::size_t dimension_ = 0;
  LevelTable table_;
};

}  // namespace glimpse
