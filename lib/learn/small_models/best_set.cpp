#include "learn/small_models/best_set.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <utility>

#include "learn/small_models/attribute_choice.h"
#include "learn/small_models/small_models.h"

namespace glimpse {

namespace {

// How often attributes were seen together, by a feature of each, which was seen when the attribute was.
class SeenPairs {
 public:
  explicit SeenPairs(const PairSnapshot& moments)
      : moments_(moments), features_(features_of_attributes(moments)) {}

  double of(Attribute a, Attribute b) const {
    if (features_[a].empty() || features_[b].empty()) return 0;
    const auto [first, second] = std::minmax(features_[a].front(), features_[b].front());
    return first == second ? moments_[first].weight() : moments_.weight(first, second);
  }
  // Of all pairs.
  double least(std::span<const Attribute> set) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t b = 0; b < set.size(); ++b)
      for (std::size_t a = 0; a <= b; ++a) least = std::min(least, of(set[a], set[b]));
    return least;
  }

 private:
  const PairSnapshot& moments_;
  const std::vector<std::vector<std::size_t>> features_;
};

// Whether plans can show these two together, or one alone.
bool are_bought_together(const BestSetForm& form, Attribute a, Attribute b) {
  if (!form.cost_of_plan) return true;
  const Prices& prices = *form.prices;
  if (a == b) return prices.alone(a) <= *form.cost_of_plan;
  const bool share = prices.group(a) != Prices::kNoGroup && prices.group(a) == prices.group(b);
  return prices.alone(a) + (share ? prices.own(b) : prices.alone(b)) <= *form.cost_of_plan;
}

bool can_be_bought(const BestSetForm& form, std::span<const Attribute> set) {
  if (!form.cost) return true;
  if (Bill(*form.prices).of(set) > *form.cost) return false;
  for (std::size_t b = 0; b < set.size(); ++b)
    for (std::size_t a = 0; a <= b; ++a)
      if (!are_bought_together(form, set[a], set[b])) return false;
  return true;
}

bool is_whole(const SmallSet& set, const BestSetForm& form) {
  return set.attributes.size() == form.attributes || (form.cost && !set.attributes.empty());
}

// For the first time.
BestChoice choose_first(SmallSet set, const BestSetForm& form, const SeenPairs& seen) {
  using Kind = BestWait::Kind;
  if (!is_whole(set, form)) return {{}, {Kind::kFew, static_cast<double>(set.attributes.size())}};
  const double gain = set.loss_of_mean - set.loss;
  if (!(gain > kSureErrors * set.loss_error)) {
    const double errors = gain / set.loss_error;  // labels that are all alike have no error
    return {{}, {Kind::kLoss, std::isfinite(errors) ? errors : 0}};
  }
  const double least = seen.least(set.attributes);
  if (least < kSurePairs) return {{}, {Kind::kPairs, least}};
  return {std::move(set.attributes), {}};
}

}  // namespace

BestSetForm best_set_form(const LearnerOptions& options, std::vector<Attribute> now) {
  BestSetForm form;
  form.attributes = options.look_at_best;
  form.now = std::move(now);
  if (options.half_life) form.settled_after = *options.half_life;
  if (options.look_at_best == 0 || !options.budget_cost) return form;
  form.prices = options.prices;
  const std::size_t shown = std::min(options.budget, options.look_at_best);
  const Money of_one = *options.budget_cost / shown;
  const bool is_beyond = of_one > kLargestMoney / options.look_at_best;
  form.cost = is_beyond ? kLargestMoney : of_one * options.look_at_best;
  form.cost_of_plan = options.budget_cost;
  return form;
}

// The first choice waits until it is known well. One that takes its place is of pairs that are: others are
// seen seldom by then, and mostly beside what was chosen.
std::optional<BestChoice> choose_best_set(const BestSetForm& form, const PairSnapshot& moments,
                                          const std::optional<NormBall>& ball, PairwiseSolver& solver,
                                          const PairwiseSolver::Cancelled& cancelled) {
  if (form.attributes == 0) return BestChoice();
  if (moments.targets() > 2) return BestChoice{{}, {BestWait::Kind::kClasses, 0}};
  if (moments.dimension() == 0) return BestChoice{{}, {BestWait::Kind::kFew, 0}};
  if (!form.chooses && !form.now.empty()) return BestChoice{form.now, {}};
  const SeenPairs seen(moments);
  const bool is_first = form.now.empty();
  std::function<bool(Attribute, Attribute)> together;
  if (!is_first || form.cost)
    together = [&](Attribute a, Attribute b) {
      return (is_first || seen.of(a, b) >= kSurePairs) && are_bought_together(form, a, b);
    };
  auto set = find_small_set({form.attributes, form.cost}, form.now, together, moments,
                            form.cost ? form.prices.get() : nullptr, ball, solver, cancelled);
  if (!set) return std::nullopt;
  if (is_first) return choose_first(std::move(*set), form, seen);
  const double limit = can_be_bought(form, form.now) ? set->loss_of_other * (1 - kWorthwhile)
                                                     : std::numeric_limits<double>::infinity();
  const bool is_better = is_whole(*set, form) && set->loss < limit;
  return BestChoice{is_better ? std::move(set->attributes) : form.now, {}};
}

}  // namespace glimpse
