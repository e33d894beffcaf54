#include <cmath>

#include "learn/exponentiated_weights.h"
#include "learn/gradient_learner.h"
#include "learn/lazy_weights.h"

namespace glimpse {

// What a plan of GradientLearner draws: the two separate sets of the papers, or pairs.

template <class Weights>
void GradientLearner<Weights>::plan(Random& random, Plan& plan) {
  builder_.begin(plan);
  plan.offset = bias() + label_offset();
  if (variant_.full_information) return plan_everything(plan);
  if (priced_) {
    plan_within(random);
  } else if (pairs_) {
    plan_pairs(random);
  } else {
    plan_separate(random);
  }
  builder_.finish();
  add_centres(plan);
}

// In both, all draws are begun before the first is finished: at large d each waits for memory of its own, and
// so they wait together.
template <class Weights>
void GradientLearner<Weights>::plan_separate(Random& random) {
  for (LevelTable::Ticket& ticket : tickets_) ticket = q_.begin_sample(random);
  const double total = p_.total();
  if (total > 0)
    for (SumTree::Descent& descent : descents_) descent = begin_inner_draw(random);
  for (std::uint32_t r = 0; r < data_draws_; ++r) {
    const LevelTable::Draw draw = q_.finish_sample(tickets_[r]);
    prefetch_attribute(draw.attribute);
    builder_.add_data_point(draw.attribute, 1 / (data_draws_ * draw.probability));
  }
  if (!(total > 0)) return;
  const auto weight = [this](std::size_t j) { return inner_weight(j); };
  for (std::uint32_t r = 0; r < inner_draws_; ++r) {
    const auto j = p_.finish_sample(descents_[r], weight);
    const double probability = inner_weight(j) / total;
    builder_.add_inner_product(static_cast<Attribute>(j),
                               weights_.weight(j, unit(j)) / (inner_draws_ * probability));
  }
}

// K draws from r = ½q + ½p: each falls to q or p by the toss of a coin, and counts with r whichever it was.
// While w = 0 there is no p, and r = q.
template <class Weights>
void GradientLearner<Weights>::plan_pairs(Random& random) {
  const double total = p_.total();
  std::uint32_t from_q = 0;
  std::uint32_t from_p = 0;
  std::uint64_t coins = 0;
  for (std::uint32_t r = 0; r < data_draws_; ++r) {
    if (total > 0) coins = r % 64 == 0 ? random.bits() : coins >> 1;
    if ((coins & 1) != 0) {
      descents_[from_p++] = begin_inner_draw(random);
    } else {
      tickets_[from_q++] = q_.begin_sample(random);
    }
  }
  mixed_.clear();
  for (std::uint32_t r = 0; r < from_q; ++r) {
    const LevelTable::Draw draw = q_.finish_sample(tickets_[r]);
    prefetch_attribute(draw.attribute);
    mixed_.push_back({draw.attribute, draw.probability});
  }
  const auto weight = [this](std::size_t j) { return inner_weight(j); };
  for (std::uint32_t r = 0; r < from_p; ++r) {
    const auto j = static_cast<Attribute>(p_.finish_sample(descents_[r], weight));
    q_.prefetch_probability(j);
    mixed_.push_back({j, -1});
  }
  for (const Mixed& draw : mixed_) {
    const Attribute i = draw.attribute;
    const double q = draw.data_probability >= 0 ? draw.data_probability : q_.probability(i);
    if (total > 0) {
      const double share = data_draws_ * (q + inner_weight(i) / total) / 2;
      builder_.add_pair(i, 1 / share, weights_.weight(i, unit(i)) / share);
    } else {
      builder_.add_data_point(i, 1 / (data_draws_ * q));
    }
  }
}

template <class Weights>
void GradientLearner<Weights>::plan_everything(Plan& plan) {
  for (std::uint32_t i = 0; i < dimension_; ++i) {
    plan.attributes.push_back(i);
    plan.data_point.push_back({i, 1});
    plan.inner_product.push_back({i, weights_.weight(i, unit(i))});
  }
}

template <class Weights>
SumTree::Descent GradientLearner<Weights>::begin_inner_draw(Random& random) const {
  const SumTree::Descent descent = p_.begin_sample(random);
  weights_.prefetch_coordinate(descent.first_item());
  moments_.prefetch_attribute(static_cast<Attribute>(descent.first_item()));
  moments_.prefetch_attribute(static_cast<Attribute>(descent.first_item() + 3));
  return descent;
}

template <class Weights>
void GradientLearner<Weights>::prefetch_attribute(Attribute attribute) const {
  weights_.prefetch_coordinate(attribute);
  moments_.prefetch_attribute(attribute);
  p_.prefetch_path(attribute);
}

template void GradientLearner<LazyWeights>::plan(Random& random, Plan& plan);
template void GradientLearner<ExponentiatedWeights>::plan(Random& random, Plan& plan);
// gradient_among.cpp draws with these, too.
template SumTree::Descent GradientLearner<LazyWeights>::begin_inner_draw(Random&) const;
template SumTree::Descent GradientLearner<ExponentiatedWeights>::begin_inner_draw(Random&) const;
template void GradientLearner<LazyWeights>::prefetch_attribute(Attribute) const;
template void GradientLearner<ExponentiatedWeights>::prefetch_attribute(Attribute) const;

}  // namespace glimpse
