// Sets that show some attributes together: TogetherDraws.

#include <algorithm>

#include "learn/draws/priced_sets.h"

namespace glimpse {

namespace {
constexpr double kShareTogether = 0.125;
}  // namespace

void PricedSets::show_together(std::span<const Attribute> attributes) {
  bill_.begin();
  for (const Attribute i : attributes) bill_.add(i);
  if (attributes.size() > budget_ || bill_.total() > limit_) attributes = {};
  if (attributes.empty()) return together_.clear();
  std::vector<Attribute> others;
  for (const std::uint32_t place : by_price_)
    if (!std::ranges::binary_search(attributes, within_[place])) others.push_back(within_[place]);
  together_.set(attributes, others, *prices_, limit_ - bill_.total(), budget_ - attributes.size(),
                [this](Attribute i) { return probability(i); });
}

bool PricedSets::shows_together(Random& random) const {
  return !together_.empty() && random.uniform() < kShareTogether;
}

void PricedSets::take_together(AttributeSet& drawn, Plan& plan) {
  for (const Attribute i : together_.certain()) {
    plan.data_point.push_back({i, 1});
    take(i, drawn);
  }
}

void PricedSets::draw_together(Random& random, AttributeSet& drawn, Plan& plan) {
  take_together(drawn, plan);
  plan.population = together_.others().size();
  double rest = 1;
  for (std::size_t tries = kTriesAnAttribute * budget_;
       tries > 0 && plan.inner_product.size() < together_.free(); --tries) {
    const LevelTable::Draw draw = together_.table().sample(random);
    const Attribute i = together_.others()[draw.attribute];
    if (drawn.contains(i)) continue;
    plan.inner_product.push_back({i, rest / draw.probability});
    rest -= draw.probability;
    take(i, drawn);
  }
  left_.clear();
  if (plan.inner_product.size() < together_.free())
    for (const Attribute i : together_.others())
      if (!drawn.contains(i)) left_.push_back(i);
  while (plan.inner_product.size() < together_.free()) {
    const auto place = static_cast<std::size_t>(random.below(left_.size()));
    plan.inner_product.push_back({left_[place], static_cast<double>(left_.size())});
    take(left_[place], drawn);
    left_[place] = left_.back();
    left_.pop_back();
  }
  buy(random, drawn, plan, 0);
}

// False, and nothing is drawn: some of them are not there.
bool PricedSets::draw_together_among(Random& random, std::span<const Attribute> available,
                                     AttributeSet& drawn, Plan& plan) {
  if (!std::ranges::includes(available, together_.certain())) return false;
  take_together(drawn, plan);
  left_.clear();
  for (const Attribute i : available)
    if (prices_->alone(i) <= limit_ && !drawn.contains(i)) left_.push_back(i);
  std::ranges::sort(left_, [this](Attribute a, Attribute b) {
    const Money price_a = prices_->alone(a);
    const Money price_b = prices_->alone(b);
    return price_a != price_b ? price_a < price_b : a < b;
  });
  dearest_.clear();
  for (const Attribute i : left_) dearest_.push_back(prices_->alone(i));
  const FreeDraws free = free_draws(dearest_, limit_ - bill_.total(), budget_ - drawn.size());
  plan.population = free.population;
  draws_.begin();
  for (std::size_t k = 0; k < free.population; ++k) draws_.add(left_[k], probability(left_[k]));
  while (plan.inner_product.size() < free.draws) {
    const SequentialDraws::Drawn draw = draws_.draw(random);
    plan.inner_product.push_back({draw.attribute, draw.coefficient});
    take(draw.attribute, drawn);
  }
  draws_.begin();
  for (const Attribute i : left_)
    if (!drawn.contains(i)) draws_.add(i, probability(i));
  while (drawn.size() < budget_) {
    draws_.keep_only([this](Attribute i) { return fits(i); });
    if (draws_.size() == 0) break;
    take(draws_.draw(random).attribute, drawn);
  }
  return true;
}

}  // namespace glimpse
