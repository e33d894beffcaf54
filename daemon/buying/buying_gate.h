#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "base/state.h"
#include "daemon/buying/spending.h"
#include "learn/core/learner.h"
#include "learn/plans/plan_book.h"

namespace glimpse {

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
