#include "lab/studies/buying_rules.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "gen/nearly_normal.h"

namespace glimpse {

RuleBuyer::RuleBuyer(std::shared_ptr<const Prices> prices, Money limit, BuyingRule rule)
    : prices_(std::move(prices)),
      limit_(limit),
      rule_(rule),
      keys_(prices_->dimension()),
      order_(prices_->dimension()) {}

// Draws without replacement with chances ∝ q_i come in the order of exponential times of rates q_i.
std::span<const Attribute> RuleBuyer::draw(Random& random) {
  for (Attribute i = 0; i < keys_.size(); ++i) {
    const auto price = static_cast<double>(prices_->alone(i));
    if (rule_ == BuyingRule::kCheapestFirst) {
      keys_[i] = price;
      continue;
    }
    keys_[i] = -std::log1p(-random.uniform());
    if (rule_ == BuyingRule::kRoot) keys_[i] *= std::sqrt(price);
    if (rule_ == BuyingRule::kInverse) keys_[i] *= price;
  }
  std::iota(order_.begin(), order_.end(), Attribute{0});
  std::sort(order_.begin(), order_.end(),
            [this](Attribute a, Attribute b) { return keys_[a] != keys_[b] ? keys_[a] < keys_[b] : a < b; });
  set_.clear();
  Money left = limit_;
  for (const Attribute i : order_) {
    if (prices_->alone(i) > left) continue;
    left -= prices_->alone(i);
    set_.push_back(i);
  }
  std::sort(set_.begin(), set_.end());
  return set_;
}

std::shared_ptr<const Prices> log_normal_prices(std::size_t dimension, double spread, std::uint64_t seed) {
  auto prices = std::make_shared<Prices>(dimension);
  Random random(seed);
  for (Attribute i = 0; i < dimension; ++i) {
    const double price = std::exp(spread * nearly_normal(random)) * static_cast<double>(kMoneyUnit);
    prices->set(i, std::max<Money>(static_cast<Money>(std::llround(price)), 1));
  }
  return prices;
}

Money full_price(const Prices& prices) {
  Money sum = 0;
  for (Attribute i = 0; i < prices.dimension(); ++i) sum = add_money(sum, prices.alone(i));
  return sum;
}

}  // namespace glimpse
