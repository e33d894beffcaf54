#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "learn/covariance/look_weights.h"
#include "learn/pairwise/pairwise.h"
#include "learn/pairwise/pairwise_rules.h"

// Which attributes Pairwise looks at.

namespace glimpse {

void Pairwise::draw_plan(Random& random, Plan& plan) {
  plan.clear();
  drawn_.clear();  // of a plan that there was no memory for
  if (const std::size_t looks = best_.next(random); looks > 0) {
    draw_best(random, looks, *best_.set(), plan);
    if (drawn_.size() > 0) {
      if (!priced_) fill_from_all(random);
      return place_draws(plan);
    }
  }
  if (priced_) {
    priced_->draw(random, drawn_, plan);
    return place_draws(plan);
  }
  const std::size_t k = options().budget;
  const std::size_t d = options().dimension;
  double rest = 1;  // what the attributes not drawn yet have of q
  // Draws that fall on an attribute drawn before are made again. Where K is close to d that could take long:
  // the rest is then drawn uniformly.
  Random source = random;  // its own, so that it stays in registers
  for (std::size_t left = kDrawsAnAttribute * k; drawn_.size() < k && left > 0;) {
    std::array<LevelTable::Ticket, 64> tickets;  // as many draws as are needed at least: all are begun first
    const std::size_t count = std::min({k - drawn_.size(), left, tickets.size()});
    for (std::size_t t = 0; t < count; ++t) tickets[t] = q_.begin_sample(source);
    for (std::size_t t = 0; t < count; ++t) {
      const LevelTable::Draw draw = q_.finish_sample(tickets[t]);
      if (!drawn_.insert(draw.attribute)) continue;
      plan.inner_product.push_back({draw.attribute, rest / draw.probability});
      rest -= draw.probability;
    }
    left -= count;
  }
  while (drawn_.size() < k) {
    auto skip = source.below(d - drawn_.size());
    Attribute i = 0;
    while (drawn_.contains(i) || skip-- > 0) ++i;
    plan.inner_product.push_back({i, static_cast<double>(d - drawn_.size())});
    drawn_.insert(i);
    rest -= q_.probability(i);
  }
  random = source;
  drawn_.take_all(plan.attributes);
  for (std::uint32_t a = 0; a < k; ++a) position_[plan.attributes[a]] = a;
  for (Draw& draw : plan.inner_product) draw.position = position_[draw.position];
  moments_.prefetch_pairs(plan.attributes);
}

Status Pairwise::plan_among(Random& random, std::span<const Attribute> available, Plan& plan) {
  plan.clear();
  drawn_.clear();
  if (const std::size_t looks = best_.next(random); looks > 0) {
    const std::span<const Attribute> best = best_.among(available);
    if (!best.empty()) draw_best(random, looks, best, plan);
  }
  if (drawn_.size() > 0) {
    if (!priced_) fill_from(random, available);
  } else if (priced_) {
    if (!priced_->draw_among(random, available, drawn_, plan))
      return failure(ErrorCode::kUnavailable,
                     "each of the {} available attributes costs more than --budget-cost {}", available.size(),
                     format_money(*options().budget_cost));
  } else {
    available_.begin();
    for (const Attribute i : available) available_.add(i, q_.probability(i));
    plan.population = available.size();
    while (drawn_.size() < std::min(options().budget, available.size())) {
      const SequentialDraws::Drawn draw = available_.draw(random);
      plan.inner_product.push_back({draw.attribute, draw.coefficient});
      drawn_.insert(draw.attribute);
    }
  }
  place_draws(plan);
  return {};
}

void Pairwise::draw_best(Random& random, std::size_t looks, std::span<const Attribute> best, Plan& plan) {
  if (priced_) {
    if (!priced_->draw_among(random, best, drawn_, plan)) return plan.clear();
    return best_.note(plan, plan.population);
  }
  best_.draw(random, looks, best, [this](Attribute i) { return q_.probability(i); }, plan);
  for (const Draw& draw : plan.inner_product) drawn_.insert(draw.position);
}

// Looks that the best leave: no estimate is of them.
void Pairwise::fill_from_all(Random& random) {
  const std::size_t k = options().budget;
  for (std::size_t left = kDrawsAnAttribute * k; drawn_.size() < k && left > 0; --left)
    drawn_.insert(q_.sample(random).attribute);
  while (drawn_.size() < k) {
    auto skip = random.below(options().dimension - drawn_.size());
    Attribute i = 0;
    while (drawn_.contains(i) || skip-- > 0) ++i;
    drawn_.insert(i);
  }
}

void Pairwise::fill_from(Random& random, std::span<const Attribute> available) {
  available_.begin();
  for (const Attribute i : available)
    if (!drawn_.contains(i)) available_.add(i, q_.probability(i));
  while (drawn_.size() < options().budget && available_.size() > 0)
    drawn_.insert(available_.draw(random).attribute);
}

void Pairwise::place_draws(Plan& plan) {
  drawn_.take_all(plan.attributes);
  for (std::uint32_t a = 0; a < plan.attributes.size(); ++a) position_[plan.attributes[a]] = a;
  for (auto* draws : {&plan.data_point, &plan.inner_product})
    for (Draw& draw : *draws) draw.position = position_[draw.position];
  moments_.prefetch_pairs(plan.attributes);
}

void Pairwise::show_together(std::span<const Attribute> attributes) {
  priced_->show_together(attributes);
  draw_otherwise();
}

void Pairwise::plan_sampling() {
  if (lead() != nullptr) return;
  draw_otherwise();
  const std::size_t d = options().dimension;
  const double share = static_cast<double>(options().budget) / static_cast<double>(d);
  const auto chances = [&](std::span<const double> weights, std::span<double> pi) {
    if (priced_) return priced_->expect(weights, pi);
    for (std::size_t i = 0; i < d; ++i) pi[i] = std::min(1.0, share * weights[i]);
  };
  bool by_label = false;
  std::vector<const PairMoments*> further;
  for (std::size_t l = 1; l < label_count(); ++l) further.push_back(&sibling(l).moments_);
  const bool is_uniform = options().looks == Looks::kUniform;
  std::vector<double> weights =
      is_uniform ? std::vector<double>(d, 1) : look_weights(moments_, chances, features_, &by_label, further);
  if (!is_uniform) prefer(weights);
  const auto weight = [&](std::size_t i) { return weights[i]; };
  if (priced_) {
    priced_->plan(weight);
  } else {
    q_.build(weight);
  }
  note_chances();
  note_sampling(weights, by_label);
  // Powers of two and the points half-way between.
  std::uint64_t power = 1;
  while (power <= steps()) power *= 2;
  const std::uint64_t between = power / 2 + power / 4;
  next_plan_ = between > steps() ? between : power;
}

void Pairwise::best_changed() {
  draw_otherwise();
  note_chances();
}

void Pairwise::note_chances() {
  chance_of_best_ = 0;
  if (!best_.is_on()) return;
  for (const Attribute i : *best_.set()) chance_of_best_ += chance(i);
  best_.note_spread(spread_of(options().dimension, [this](Attribute i) { return look_chance(i); }));
}

void Pairwise::note_sampling(std::span<const double> weights, bool by_label) {
  using Cause = LookPhase::Cause;
  LookPhase::Preference preference{by_label ? Cause::kLabel : Cause::kSpread,
                                   spread_of(weights.size(), [&](Attribute i) { return weights[i]; }), 0};
  preference.looks = moments_.label().weight * static_cast<double>(options().budget) /
                     static_cast<double>(options().dimension);
  if (!(moments_.label().weight > 0)) preference.cause = Cause::kNothingKnown;
  if (!priced_ && options().budget >= options().dimension) preference.cause = Cause::kNothingToChoose;
  if (priced_ && options().buying == Buying::kUniform) preference.cause = Cause::kPrices;
  if (options().looks == Looks::kUniform) preference.cause = Cause::kUniform;
  look_phase_.planned(preference, looks(), counts().examples);
}

SamplingSpread Pairwise::looks() const {
  return spread_of(options().dimension, [this](Attribute i) { return chance(i); });
}

}  // namespace glimpse
