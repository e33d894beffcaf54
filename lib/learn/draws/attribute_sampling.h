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

  /// The two halves of a draw, as LevelTable's.
  LevelTable::Ticket begin_sample(Random& random) const {
    if (table_.built()) return table_.begin_sample(random);
    return {0, static_cast<std::uint32_t>(random.below(dimension_))};
  }
  LevelTable::Draw finish_sample(LevelTable::Ticket ticket) const {
    if (table_.built()) return table_.finish_sample(ticket);
    return {ticket.place, uniform_probability()};
  }
  double probability(Attribute attribute) const {
    return table_.built() ? table_.probability(attribute) : uniform_probability();
  }

  /// Brings near what probability(attribute) will read.
  void prefetch_probability(Attribute attribute) const {
    if (table_.built()) table_.prefetch_probability(attribute);
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
