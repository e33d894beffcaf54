#include "learn/planners/everything_planner.h"

#include "learn/iterates/exponentiated_weights.h"
#include "learn/iterates/lazy_weights.h"

namespace glimpse {

template <class Weights>
EverythingPlanner<Weights>::EverythingPlanner(const LearnerOptions& options,
                                              const GradientIterates<Weights>& iterates)
    : Base(options, iterates, {0, 0}) {
  largest_ratio_ = 1;
  Base::bound_draws_ = 1;
}

template <class Weights>
void EverythingPlanner<Weights>::take(Attribute i, Plan& plan) const {
  const auto position = static_cast<std::uint32_t>(plan.attributes.size());
  plan.attributes.push_back(i);
  plan.data_point.push_back({position, 1});
  plan.inner_product.push_back({position, iterates_.weight(i)});
}

template <class Weights>
void EverythingPlanner<Weights>::draw(Random&, Plan& plan) {
  for (std::size_t i = 0; i < iterates_.dimension(); ++i) take(static_cast<Attribute>(i), plan);
}

template <class Weights>
Status EverythingPlanner<Weights>::draw_among(Random&, std::span<const Attribute> available, Plan& plan) {
  for (const Attribute i : available) take(i, plan);
  return {};
}

template class EverythingPlanner<LazyWeights>;
template class EverythingPlanner<ExponentiatedWeights>;

}  // namespace glimpse
