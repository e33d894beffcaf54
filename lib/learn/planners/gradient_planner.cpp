#include "learn/planners/gradient_planner.h"

#include "learn/iterates/exponentiated_weights.h"
#include "learn/iterates/lazy_weights.h"
#include "learn/planners/everything_planner.h"
#include "learn/planners/pairs_planner.h"
#include "learn/planners/priced_planner.h"
#include "learn/planners/separate_planner.h"

namespace glimpse {

PlanKind plan_kind(const LearnerOptions& options, bool full_information) {
  if (full_information) return PlanKind::kEverything;
  if (options.budget_cost) return PlanKind::kPriced;
  return draws_of(options) == Draws::kPairs ? PlanKind::kPairs : PlanKind::kSeparate;
}

DrawCounts draw_counts(const LearnerOptions& options, PlanKind kind) {
  const auto d = static_cast<std::uint32_t>(options.dimension);
  const auto k = static_cast<std::uint32_t>(options.budget);
  if (kind == PlanKind::kEverything) return {d, d};
  if (kind == PlanKind::kPairs) return {k, k};
  std::uint32_t inner = k - (options.split == Split::kEven ? k / 2 : k - 1);
  if (kind == PlanKind::kPriced) inner = PricedSampling::inner_draws(options, inner);
  return {k - inner, inner};
}

template <class Weights>
GradientPlanner<Weights>::GradientPlanner(const LearnerOptions& options,
                                          const GradientIterates<Weights>& iterates, const DrawCounts& counts)
    : iterates_(iterates),
      counts_(counts),
      bounds_ratio_(options.step == StepKind::kAuto),
      q_(options.dimension),
      p_(options, iterates, counts.inner_product),
      largest_ratio_(static_cast<double>(options.dimension)),
      draws_an_example_(static_cast<double>(options.budget)),
      bound_draws_(counts.data_point),
      tickets_(counts.data_point) {
  draws_.reserve(counts.data_point);
}

template <class Weights>
void GradientPlanner<Weights>::begin(Random&, Plan& plan) {
  plan.clear();
}

template <class Weights>
Status GradientPlanner<Weights>::plan_among(Random& random, std::span<const Attribute> available,
                                            Plan& plan) {
  builder_.begin(plan);
  GLIMPSE_TRY(draw_among(random, available, plan));
  builder_.finish();
  return {};
}

template <class Weights>
void GradientPlanner<Weights>::weigh_by_p(std::span<const Attribute> available) {
  among_p_.begin();
  for (const Attribute i : available) among_p_.add(p_.weight(i));
}

template <class Weights>
void GradientPlanner<Weights>::weigh(std::span<const Attribute> available) {
  weigh_by_p(available);
  among_q_.begin();
  for (const Attribute i : available) among_q_.add(q_.probability(i));
}

template <class Weights>
void GradientPlanner<Weights>::separate_among(Random& random, std::span<const Attribute> available) {
  for (std::uint32_t r = 0; r < counts_.data_point; ++r) {
    const Attribute i = available[among_q_.sample(random)];
    builder_.add_data_point(i, among_q_.total() / (counts_.data_point * q_.probability(i)));
  }
  for (std::uint32_t r = 0; r < counts_.inner_product && among_p_.total() > 0; ++r)
    add_inner_draw(available[among_p_.sample(random)], among_p_.total());
}

template <class Weights>
void GradientPlanner<Weights>::begin_uniform_phase() {
  largest_ratio_ = static_cast<double>(iterates_.dimension());
}

template <class Weights>
void GradientPlanner<Weights>::plan_by(const MomentWeights& weights) {
  q_.plan(weights);
  ++q_version_;
  if (bounds_ratio_) largest_ratio_ = weights.largest_ratio();
}

template <class Weights>
void GradientPlanner<Weights>::forget() {
  q_ = AttributeSampling(iterates_.dimension());
  ++q_version_;
}

template <class Weights>
Result<bool> GradientPlanner<Weights>::restore(const State& state) {
  GLIMPSE_TRY(q_.restore(state));
  ++q_version_;
  return true;
}

template <class Weights>
std::unique_ptr<GradientPlanner<Weights>> make_planner(PlanKind kind, const LearnerOptions& options,
                                                       const GradientIterates<Weights>& iterates) {
  switch (kind) {
    case PlanKind::kSeparate:
      return std::make_unique<SeparatePlanner<Weights>>(options, iterates);
    case PlanKind::kPairs:
      return std::make_unique<PairsPlanner<Weights>>(options, iterates);
    case PlanKind::kPriced:
      return std::make_unique<PricedPlanner<Weights>>(options, iterates);
    case PlanKind::kEverything:
      return std::make_unique<EverythingPlanner<Weights>>(options, iterates);
  }
  return nullptr;
}

template class GradientPlanner<LazyWeights>;
template class GradientPlanner<ExponentiatedWeights>;
template std::unique_ptr<GradientPlanner<LazyWeights>> make_planner(PlanKind, const LearnerOptions&,
                                                                    const GradientIterates<LazyWeights>&);
template std::unique_ptr<GradientPlanner<ExponentiatedWeights>> make_planner(
    PlanKind, const LearnerOptions&, const GradientIterates<ExponentiatedWeights>&);

}  // namespace glimpse
