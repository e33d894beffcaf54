#include <cmath>

#include "learn/gradient/gradient_learner.h"
#include "learn/iterates/exponentiated_weights.h"
#include "learn/iterates/lazy_weights.h"

namespace glimpse {

// Plans of GradientLearner that are not drawn from all attributes: those within a limit of cost, and those
// among the attributes that are available.

// As finish_separate(), in the order in which they are paid for.
template <class Weights>
void GradientLearner<Weights>::plan_within(Random& random) {
  priced_->begin();
  if (const double total = p_.total(); total > 0) {
    for (SumTree::Descent& descent : descents_) descent = begin_inner_draw(random);
    const auto weight = [this](std::size_t j) { return inner_weight(j); };
    for (const SumTree::Descent& descent : descents_) {
      const auto j = p_.finish_sample(descent, weight);
      priced_->pay(static_cast<Attribute>(j));
      add_inner_draw(static_cast<Attribute>(j), total);
    }
  }
  priced_->draw(random, [this](Attribute i, double coefficient) {
    prefetch_attribute(i);
    builder_.add_data_point(i, coefficient);
  });
}

// q and p, or their mixture, with the same ratios among the available attributes as among all.
template <class Weights>
Status GradientLearner<Weights>::plan_among(Random& random, std::span<const Attribute> available,
                                            Plan& plan) {
  builder_.begin(plan);
  plan.generation = generation_;
  plan.offset = iterates_.offset();
  if (variant_.full_information) {
    for (const Attribute i : available) {
      const auto position = static_cast<std::uint32_t>(plan.attributes.size());
      plan.attributes.push_back(i);
      plan.data_point.push_back({position, 1});
      plan.inner_product.push_back({position, iterates_.weight(i)});
    }
    return {};
  }
  among_p_.begin();
  for (const Attribute i : available) among_p_.add(inner_weight(i));
  if (priced_) {
    priced_->begin();
    if (among_p_.total() > 0) {
      for (std::uint32_t r = 0; r < inner_draws_; ++r) {
        const Attribute j = available[among_p_.sample(random)];
        priced_->pay(j);
        add_inner_draw(j, among_p_.total());
      }
    }
    const bool any = priced_->draw_among(random, available, [this](Attribute i, double coefficient) {
      builder_.add_data_point(i, coefficient);
    });
    if (!any)
      return failure(ErrorCode::kUnavailable,
                     "each of the {} available attributes costs more than half of --budget-cost {}",
                     available.size(), format_money(*options().budget_cost));
  } else {
    among_q_.begin();
    for (const Attribute i : available) among_q_.add(q_.probability(i));
    if (pairs_ && among_p_.total() > 0) {
      pairs_among(random, available);
    } else {
      for (std::uint32_t r = 0; r < data_draws_; ++r) {
        const Attribute i = available[among_q_.sample(random)];
        builder_.add_data_point(i, among_q_.total() / (data_draws_ * q_.probability(i)));
      }
      for (std::uint32_t r = 0; r < inner_draws_ && among_p_.total() > 0; ++r)
        add_inner_draw(available[among_p_.sample(random)], among_p_.total());
    }
  }
  builder_.finish();
  iterates_.add_centres(plan);
  return {};
}

template <class Weights>
void GradientLearner<Weights>::pairs_among(Random& random, std::span<const Attribute> available) {
  for (std::uint32_t r = 0; r < data_draws_; ++r) {
    const RunningSums& part = random.below(2) == 0 ? among_q_ : among_p_;
    const Attribute i = available[part.sample(random)];
    const double share =
        data_draws_ * (q_.probability(i) / among_q_.total() + inner_weight(i) / among_p_.total()) / 2;
    builder_.add_pair(i, 1 / share, iterates_.weight(i) / share);
  }
}

template <class Weights>
void GradientLearner<Weights>::add_inner_draw(Attribute j, double total) {
  builder_.add_inner_product(j, iterates_.weight(j) * total / (inner_draws_ * inner_weight(j)));
}

// q within the limit: by the moments in phase 2, before as though they were all the same.
template <class Weights>
void GradientLearner<Weights>::plan_costs() {
  if (phase_.phase() == 2) {
    const MomentWeights weights = moment_weights();
    priced_->plan(weights, [&](std::size_t i) { return weights.moment(i); });
  } else {
    const auto one = [](std::size_t) { return 1.0; };
    priced_->plan(one, one);
  }
  largest_ratio_ = priced_->largest_second() * data_draws_;
}

template void GradientLearner<LazyWeights>::plan_within(Random&);
template void GradientLearner<LazyWeights>::plan_costs();
template Status GradientLearner<LazyWeights>::plan_among(Random&, std::span<const Attribute>, Plan&);
template void GradientLearner<ExponentiatedWeights>::plan_within(Random&);
template void GradientLearner<ExponentiatedWeights>::plan_costs();
template Status GradientLearner<ExponentiatedWeights>::plan_among(Random&, std::span<const Attribute>, Plan&);

}  // namespace glimpse
