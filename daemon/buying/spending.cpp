#include "daemon/buying/spending.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace glimpse {

Spending::Spending(std::shared_ptr<const Prices> prices, const SpendingLimits& limits)
    : prices_(std::move(prices)), limits_(limits) {
  if (prices_) bill_.emplace(*prices_);
}

Money Spending::cost_of(std::span<const Attribute> attributes) {
  return bill_ ? bill_->of(attributes) : attributes.size() * kMoneyUnit;
}

void Spending::note(std::span<const Attribute> attributes, std::span<const double> values,
                    std::optional<Money> promised) {
  std::size_t obtained = 0;
  if (bill_) bill_->begin();
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    if (std::isnan(values[a])) continue;
    ++obtained;
    if (bill_) bill_->add(attributes[a]);
  }
  Money cost = bill_ ? bill_->total() : obtained * kMoneyUnit;
  if (promised) cost = obtained == attributes.size() ? *promised : std::min(cost, *promised);
  spent_ = add_money(spent_, cost);
}

void Spending::note_replaced(const LearnerCounts& before, const LearnerCounts& now) {
  const std::uint64_t all = attributes_before_ + before.attributes_revealed;
  attributes_before_ = all > now.attributes_revealed ? all - now.attributes_revealed : 0;
}

SpendingReport Spending::report(const LearnerCounts& counts, const PlanBook& plans) const {
  return {attributes_before_ + counts.attributes_revealed, spent_, plans.open_attributes(), plans.open_cost(),
          limits_};
}

bool Spending::allows(const SpendingReport& report, std::uint64_t attributes, Money cost) const {
  if (limits_.attributes && report.attributes + report.attributes_reserved + attributes > *limits_.attributes)
    return false;
  return !limits_.cost || add_money(add_money(report.cost, report.cost_reserved), cost) <= *limits_.cost;
}

void Spending::save(State& state) const {
  state.put_number("spending.cost", spent_);
  if (attributes_before_ > 0) state.put_number("spending.replaced", attributes_before_);
}

Status Spending::restore(const State& state) {
  GLIMPSE_TRY_ASSIGN(const auto spent, state.get_number<std::uint64_t>("spending.cost", std::uint64_t{0}));
  GLIMPSE_TRY_ASSIGN(const auto before,
                     state.get_number<std::uint64_t>("spending.replaced", std::uint64_t{0}));
  spent_ = spent;
  attributes_before_ = before;
  return {};
}

bool BuyingGate::may_buy(std::uint64_t attributes, Money cost) {
  if (!account_.is_limited()) return true;
  const SpendingReport now = report();
  if (account_.allows(now, attributes, cost)) return true;
  refused_ = Refused{attributes, cost, now};
  if (spent_) spent_();
  return false;
}

std::optional<BuyingGate::Refused> BuyingGate::stopped() {
  if (!refused_) return std::nullopt;
  const SpendingReport now = report();
  const SpendingReport& then = refused_->at;
  if (now.attributes + now.attributes_reserved < then.attributes + then.attributes_reserved ||
      add_money(now.cost, now.cost_reserved) < add_money(then.cost, then.cost_reserved))
    refused_.reset();
  return refused_;
}

void BuyingGate::save(State& state) const {
  account_.save(state);
  if (!refused_) return;
  const SpendingReport& at = refused_->at;
  state.put_copy<std::uint64_t>(
      "spending.refused", std::array<std::uint64_t, 6>{refused_->attributes, refused_->cost, at.attributes,
                                                       at.cost, at.attributes_reserved, at.cost_reserved});
}

Status BuyingGate::restore_refused(const State& state) {
  const auto refused = state.get<std::uint64_t>("spending.refused", 6);
  if (!refused && state.find("spending.refused") != nullptr) return refused.error();
  refused_.reset();
  if (!refused) return {};
  const auto& r = *refused;
  refused_ = Refused{r[0], r[1], {r[2], r[3], r[4], r[5], {}}};
  // With limits that were raised meanwhile it may be bought.
  if (!account_.is_limited() || account_.allows(report(), r[0], r[1])) refused_.reset();
  return {};
}

}  // namespace glimpse
