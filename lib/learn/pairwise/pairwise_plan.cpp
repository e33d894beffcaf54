#include <algorithm>

#include "learn/pairwise/pairwise.h"

namespace glimpse {

// Plans of Pairwise that are not drawn from all attributes.

Status Pairwise::plan_among(Random& random, std::span<const Attribute> available, Plan& plan) {
  plan.clear();
  drawn_.clear();
  if (priced_) {
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

void Pairwise::place_draws(Plan& plan) {
  drawn_.take_all(plan.attributes);
  for (std::uint32_t a = 0; a < plan.attributes.size(); ++a) position_[plan.attributes[a]] = a;
  for (Draw& draw : plan.inner_product) draw.position = position_[draw.position];
  moments_.prefetch_pairs(plan.attributes);
}

}  // namespace glimpse
