#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/state.h"
#include "learn/core/learner.h"
#include "learn/options/prices.h"
#include "learn/plans/plan_book.h"

namespace glimpse {

/// --total-budget and --total-cost.
struct SpendingLimits {
  std::optional<std::uint64_t> attributes;
  std::optional<Money> cost;
};

/// What was spent, what is promised to open plans, and what there is.
struct SpendingReport {
  std::uint64_t attributes = 0;           ///< values obtained, since the beginning of the stream
  Money cost = 0;                         ///< of these
  std::uint64_t attributes_reserved = 0;  ///< of open plans
  Money cost_reserved = 0;
  SpendingLimits limits;
};

/// Keeps account of the attributes that were bought and what they cost. Without prices each costs 1. Open
/// plans count as spent until they are told, when only what was obtained counts, or closed otherwise.
/// Thread-safety: none; the trainer thread's.
class Spending {
 public:
  Spending() = default;
  Spending(std::shared_ptr<const Prices> prices, const SpendingLimits& limits);

  /// What obtaining these distinct attributes costs together. O(their number).
  Money cost_of(std::span<const Attribute> attributes);
  /// The values of a plan were obtained; NaN: that one was not. `promised`: what all of them were to cost, by
  /// the prices of when the plan was given out: no answer costs more.
  void note(std::span<const Attribute> attributes, std::span<const double> values,
            std::optional<Money> promised);

  /// A learner with the counts `now` takes the place of one with `before`: attributes that were bought for
  /// that one count on.
  void note_replaced(const LearnerCounts& before, const LearnerCounts& now);

  SpendingReport report(const LearnerCounts& counts, const PlanBook& plans) const;
  /// Whether so much more stays within the limits.
  bool allows(const SpendingReport& report, std::uint64_t attributes, Money cost) const;

  bool is_limited() const { return limits_.attributes || limits_.cost; }

  void save(State& state) const;
  Status restore(const State& state);

 private:
  std::shared_ptr<const Prices> prices_;
  std::optional<Bill> bill_;
  SpendingLimits limits_;
  Money spent_ = 0;
  std::uint64_t attributes_before_ = 0;  // of learners that were replaced, beyond those the learner counts
};

}  // namespace glimpse
