#pragma once

#include <cstdint>
#include <functional>
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

/// Whether attributes may still be bought: the account of what was bought, beside the limits and what open
/// plans reserve. Once something did not fit, nothing is bought any more until open plans give back what they
/// had reserved. Otherwise attributes cheap enough for the rest would be bought more often than they are
/// drawn. Thread-safety: none; the trainer thread's.
class BuyingGate {
 public:
  /// What did not fit.
  struct Refused {
    std::uint64_t attributes = 0;
    Money cost = 0;
    SpendingReport at;  ///< what was spent and reserved then
  };

  /// Both outlive the gate.
  BuyingGate(const Learner& learner, const PlanBook& plans) : learner_(&learner), plans_(plans) {}

  /// Another one takes its place; what was bought for the one before stays bought. While both are there.
  void set_learner(const Learner& learner) {
    account_.note_replaced(learner_->counts(), learner.counts());
    learner_ = &learner;
  }

  /// Before restore(). Without it there are no limits.
  void set_limits(const SpendingLimits& limits) { account_ = Spending(learner_->options().prices, limits); }
  /// Called each time something did not fit.
  void set_spent(std::function<void()> spent) { spent_ = std::move(spent); }

  bool is_limited() const { return account_.is_limited(); }
  SpendingReport report() const { return account_.report(learner_->counts(), plans_); }
  Money cost_of(std::span<const Attribute> attributes) { return account_.cost_of(attributes); }
  /// Spending::note().
  void note(std::span<const Attribute> attributes, std::span<const double> values,
            std::optional<Money> promised) {
    account_.note(attributes, values, promised);
  }

  /// Whether so much more stays within the limits. Where it does not, nothing is bought from now on.
  bool may_buy(std::uint64_t attributes, Money cost);
  /// What did not fit, while nothing is bought.
  std::optional<Refused> stopped();

  void save(State& state) const;
  /// The account, of save(). Errors: kCorrupt.
  Status restore_account(const State& state) { return account_.restore(state); }
  /// What did not fit. After the learner, the plans and the account.
  Status restore_refused(const State& state);

 private:
  const Learner* learner_;
  const PlanBook& plans_;
  Spending account_;
  std::optional<Refused> refused_;
  std::function<void()> spent_;
};

}  // namespace glimpse
