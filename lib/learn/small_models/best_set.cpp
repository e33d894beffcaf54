#include "learn/small_models/best_set.h"

#include <algorithm>

#include "learn/small_models/attribute_choice.h"
#include "learn/small_models/small_models.h"

namespace glimpse {

namespace {

// Those that no plan can hold together, as money does not suffice, were never seen.
bool were_pairs_seen(const std::vector<Attribute>& set, const PairSnapshot& moments, bool has_limit) {
  const auto features = features_of_attributes(moments);
  std::vector<std::size_t> slots;  // of each attribute one feature, which was seen when the attribute was
  for (const Attribute a : set) slots.push_back(features[a].front());
  std::ranges::sort(slots);
  for (std::size_t b = 0; b < slots.size(); ++b) {
    if (moments[slots[b]].weight() < kSurePairs) return false;
    for (std::size_t a = 0; a < b; ++a) {
      const double seen = moments.weight(slots[a], slots[b]);
      if (seen < kSurePairs && !(has_limit && seen == 0)) return false;
    }
  }
  return true;
}

bool is_sure(const SmallSet& set, const BestSetForm& form, const PairSnapshot& moments) {
  const bool is_whole = set.attributes.size() == form.attributes || (form.cost && !set.attributes.empty());
  return is_whole && set.loss_of_mean - set.loss > kSureErrors * set.loss_error &&
         were_pairs_seen(set.attributes, moments, form.cost.has_value());
}

}  // namespace

BestSetForm best_set_form(const LearnerOptions& options, std::vector<Attribute> now) {
  BestSetForm form;
  form.attributes = options.look_at_best;
  form.now = std::move(now);
  if (options.look_at_best == 0 || !options.budget_cost) return form;
  form.prices = options.prices;
  const std::size_t shown = std::min(options.budget, options.look_at_best);
  const Money of_one = *options.budget_cost / shown;
  const bool is_beyond = of_one > kLargestMoney / options.look_at_best;
  form.cost = is_beyond ? kLargestMoney : of_one * options.look_at_best;
  return form;
}

std::optional<std::vector<Attribute>> choose_best_set(const BestSetForm& form, const PairSnapshot& moments,
                                                      const std::optional<NormBall>& ball,
                                                      PairwiseSolver& solver,
                                                      const PairwiseSolver::Cancelled& cancelled) {
  if (form.attributes == 0 || moments.dimension() == 0 || moments.targets() > 2)
    return std::vector<Attribute>();
  const auto set = find_small_set({form.attributes, form.cost}, form.now, moments,
                                  form.cost ? form.prices.get() : nullptr, ball, solver, cancelled);
  if (!set) return std::nullopt;
  if (form.now.empty()) return is_sure(*set, form, moments) ? set->attributes : std::vector<Attribute>();
  const bool is_better = !set->attributes.empty() && set->loss < set->loss_of_other * (1 - kWorthwhile);
  return is_better ? set->attributes : form.now;
}

}  // namespace glimpse
