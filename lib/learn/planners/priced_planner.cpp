#include "learn/planners/priced_planner.h"

#include "learn/iterates/exponentiated_weights.h"
#include "learn/iterates/lazy_weights.h"

namespace glimpse {

template <class Weights>
PricedPlanner<Weights>::PricedPlanner(const LearnerOptions& options,
                                      const GradientIterates<Weights>& iterates)
    : Base(options, iterates, draw_counts(options, PlanKind::kPriced)),
      limit_(*options.budget_cost),
      priced_(options, counts_.data_point, counts_.inner_product, Weights::kMomentPower) {
  p_.keep_within(priced_);
}

template <class Weights>
void PricedPlanner<Weights>::begin_uniform_phase() {
  const auto one = [](std::size_t) { return 1.0; };
  priced_.plan(one, one);
  note_sampling();
}

template <class Weights>
void PricedPlanner<Weights>::plan_by(const MomentWeights& weights) {
  priced_.plan(weights, [&](std::size_t i) { return weights.moment(i); });
  note_sampling();
}

template <class Weights>
void PricedPlanner<Weights>::note_sampling() {
  largest_ratio_ = priced_.largest_second() * counts_.data_point;
  Base::draws_an_example_ = priced_.draws_an_example();
}

template <class Weights>
void PricedPlanner<Weights>::pay_inner_draw(Attribute j, double total) {
  priced_.pay(j);
  Base::add_inner_draw(j, total);
}

template <class Weights>
void PricedPlanner<Weights>::draw(Random& random, Plan&) {
  priced_.begin();
  if (const double total = p_.total(); total > 0) {
    p_.begin_draws(random, counts_.inner_product);
    for (std::uint32_t r = 0; r < counts_.inner_product; ++r) pay_inner_draw(p_.finish_draw(r), total);
  }
  priced_.draw(random, [this](Attribute i, double coefficient) {
    p_.prefetch_attribute(i);
    builder_.add_data_point(i, coefficient);
  });
}

template <class Weights>
Status PricedPlanner<Weights>::draw_among(Random& random, std::span<const Attribute> available, Plan&) {
  Base::weigh_by_p(available);
  priced_.begin();
  if (among_p_.total() > 0)
    for (std::uint32_t r = 0; r < counts_.inner_product; ++r)
      pay_inner_draw(available[among_p_.sample(random)], among_p_.total());
  const bool any = priced_.draw_among(random, available, [this](Attribute i, double coefficient) {
    builder_.add_data_point(i, coefficient);
  });
  if (any) return {};
  return failure(ErrorCode::kUnavailable,
                 "each of the {} available attributes costs more than half of --budget-cost {}",
                 available.size(), format_money(limit_));
}

template <class Weights>
void PricedPlanner<Weights>::save(State& state) const {
  Base::save(state);
  priced_.save(state);
}

// Whether prices and limit are those of the checkpoint.
template <class Weights>
Result<bool> PricedPlanner<Weights>::restore(const State& state) {
  GLIMPSE_TRY(Base::restore(state));
  const Result<bool> same = priced_.restore(state);
  if (same && *same) note_sampling();
  return same;
}

template class PricedPlanner<LazyWeights>;
template class PricedPlanner<ExponentiatedWeights>;

}  // namespace glimpse
