#include "learn/planners/separate_planner.h"

#include "learn/iterates/exponentiated_weights.h"
#include "learn/iterates/lazy_weights.h"

namespace glimpse {

template <class Weights>
SeparatePlanner<Weights>::SeparatePlanner(const LearnerOptions& options,
                                          const GradientIterates<Weights>& iterates)
    : Base(options, iterates, draw_counts(options, PlanKind::kSeparate)) {}

template <class Weights>
void SeparatePlanner<Weights>::begin(Random& random, Plan& plan) {
  plan.clear();
  Base::begin_from_q(random, counts_.data_point, plan);
}

template <class Weights>
void SeparatePlanner<Weights>::draw(Random& random, Plan&) {
  const double total = p_.total();
  if (total > 0) p_.begin_draws(random, counts_.inner_product);
  for (const LevelTable::Draw& draw : draws_)
    builder_.add_data_point(draw.attribute, 1 / (counts_.data_point * draw.probability));
  if (!(total > 0)) return;
  for (std::uint32_t r = 0; r < counts_.inner_product; ++r) {
    const Attribute j = p_.finish_draw(r);
    const double probability = p_.weight(j) / total;
    builder_.add_inner_product(j, iterates_.weight(j) / (counts_.inner_product * probability));
  }
}

template <class Weights>
Status SeparatePlanner<Weights>::draw_among(Random& random, std::span<const Attribute> available, Plan&) {
  Base::weigh(available);
  Base::separate_among(random, available);
  return {};
}

template class SeparatePlanner<LazyWeights>;
template class SeparatePlanner<ExponentiatedWeights>;

}  // namespace glimpse
