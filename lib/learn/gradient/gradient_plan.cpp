#include <bit>
#include <optional>

#include "learn/gradient/gradient_learner.h"
#include "learn/iterates/exponentiated_weights.h"
#include "learn/iterates/lazy_weights.h"

namespace glimpse {

// What a plan of GradientLearner draws: the two separate sets of the papers, or pairs. Those from q may be
// made before the examples between are there, those from p hang on them.

// Plans may be begun while q stays and, with pairs, while there is a p to toss coins for.
template <class Weights>
std::optional<std::uint64_t> GradientLearner<Weights>::plan_version() const {
  if (draws_all_at_once()) return std::nullopt;
  return 2 * q_version_ + (p_.total() > 0 ? 1 : 0);
}

// The draws from q. With pairs all K draws are from r = ½q + ½p, each falling to q or p by the toss of a
// coin; which ones do is no matter, only how many. While w = 0 there is no p, and r = q. All draws are begun
// before the first is finished: at large d each waits for memory of its own, and so they wait together.
template <class Weights>
void GradientLearner<Weights>::begin_plan(Random& random, Plan& plan) {
  plan.clear();
  if (draws_all_at_once()) return;
  std::uint32_t count = data_draws_;
  if (pairs_ && p_.total() > 0)
    for (std::uint32_t tossed = 0; tossed < data_draws_; tossed += 64) {
      const std::uint32_t left = data_draws_ - tossed;
      const std::uint64_t coins = random.bits();
      count -= static_cast<std::uint32_t>(std::popcount(left < 64 ? coins >> (64 - left) : coins));
    }
  for (std::uint32_t r = 0; r < count; ++r) tickets_[r] = q_.begin_sample(random);
  for (std::uint32_t r = 0; r < count; ++r) {
    const LevelTable::Draw draw = q_.finish_sample(tickets_[r]);
    prefetch_attribute(draw.attribute);
    plan.attributes.push_back(draw.attribute);
    plan.data_point.push_back({0, draw.probability});
  }
}

template <class Weights>
void GradientLearner<Weights>::finish_plan(Random& random, Plan& plan) {
  draws_.clear();
  for (std::size_t r = 0; r < plan.attributes.size(); ++r)
    draws_.push_back({plan.attributes[r], plan.data_point[r].coefficient});
  builder_.begin(plan);
  plan.generation = generation_;
  plan.offset = iterates_.offset();
  if (variant_.full_information) return plan_everything(plan);
  if (priced_) {
    plan_within(random);
  } else if (pairs_) {
    finish_pairs(random);
  } else {
    finish_separate(random);
  }
  builder_.finish();
  iterates_.add_centres(plan);
}

template <class Weights>
void GradientLearner<Weights>::finish_separate(Random& random) {
  const double total = p_.total();
  if (total > 0)
    for (SumTree::Descent& descent : descents_) descent = begin_inner_draw(random);
  for (const LevelTable::Draw& draw : draws_)
    builder_.add_data_point(draw.attribute, 1 / (data_draws_ * draw.probability));
  if (!(total > 0)) return;
  const auto weight = [this](std::size_t j) { return inner_weight(j); };
  for (std::uint32_t r = 0; r < inner_draws_; ++r) {
    const auto j = p_.finish_sample(descents_[r], weight);
    const double probability = inner_weight(j) / total;
    builder_.add_inner_product(static_cast<Attribute>(j), iterates_.weight(j) / (inner_draws_ * probability));
  }
}

// The draws from p that are left to make of the K, and every draw's share of r, whichever it came from.
template <class Weights>
void GradientLearner<Weights>::finish_pairs(Random& random) {
  const double total = p_.total();
  const std::size_t from_q = draws_.size();
  const std::size_t from_p = data_draws_ - from_q;
  for (std::size_t r = 0; r < from_p; ++r) descents_[r] = begin_inner_draw(random);
  const auto weight = [this](std::size_t j) { return inner_weight(j); };
  for (std::size_t r = 0; r < from_p; ++r) {
    const auto j = static_cast<Attribute>(p_.finish_sample(descents_[r], weight));
    q_.prefetch_probability(j);
    draws_.push_back({j, 0});
  }
  for (std::size_t r = from_q; r < draws_.size(); ++r)
    draws_[r].probability = q_.probability(draws_[r].attribute);
  for (const LevelTable::Draw& draw : draws_) {
    const Attribute i = draw.attribute;
    if (total > 0) {
      const double share = data_draws_ * (draw.probability + inner_weight(i) / total) / 2;
      builder_.add_pair(i, 1 / share, iterates_.weight(i) / share);
    } else {
      builder_.add_data_point(i, 1 / (data_draws_ * draw.probability));
    }
  }
}

template <class Weights>
void GradientLearner<Weights>::plan_everything(Plan& plan) {
  for (std::uint32_t i = 0; i < iterates_.dimension(); ++i) {
    plan.attributes.push_back(i);
    plan.data_point.push_back({i, 1});
    plan.inner_product.push_back({i, iterates_.weight(i)});
  }
}

template <class Weights>
SumTree::Descent GradientLearner<Weights>::begin_inner_draw(Random& random) const {
  const SumTree::Descent descent = p_.begin_sample(random);
  iterates_.prefetch_group(descent.first_item());
  return descent;
}

template <class Weights>
void GradientLearner<Weights>::prefetch_attribute(Attribute attribute) const {
  iterates_.prefetch_attribute(attribute);
  p_.prefetch_path(attribute);
}

template std::optional<std::uint64_t> GradientLearner<LazyWeights>::plan_version() const;
template void GradientLearner<LazyWeights>::begin_plan(Random&, Plan&);
template void GradientLearner<LazyWeights>::finish_plan(Random&, Plan&);
template std::optional<std::uint64_t> GradientLearner<ExponentiatedWeights>::plan_version() const;
template void GradientLearner<ExponentiatedWeights>::begin_plan(Random&, Plan&);
template void GradientLearner<ExponentiatedWeights>::finish_plan(Random&, Plan&);
// gradient_among.cpp draws with these, too.
template SumTree::Descent GradientLearner<LazyWeights>::begin_inner_draw(Random&) const;
template SumTree::Descent GradientLearner<ExponentiatedWeights>::begin_inner_draw(Random&) const;
template void GradientLearner<LazyWeights>::prefetch_attribute(Attribute) const;
template void GradientLearner<ExponentiatedWeights>::prefetch_attribute(Attribute) const;

}  // namespace glimpse
