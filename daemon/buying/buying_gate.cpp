#include "daemon/buying/buying_gate.h"

#include <array>

namespace glimpse {

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
