#include "learn/pairwise/best_looks.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <functional>
#include <iterator>

namespace glimpse {

// Where K > N plans of the best have K − N looks at others, and two of them tell of pairs of others as well.
// What others cost is not foreseen, so under a limit of cost others are in plans of all alone.
BestLooks::BestLooks(const LearnerOptions& options) : wanted_(options.look_at_best), budget_(options.budget) {
  constexpr double kMostMixed = 0.5;
  const auto k = static_cast<double>(budget_);
  const std::size_t left = budget_ - std::min(budget_, wanted_);
  const bool has_others = !options.budget_cost && static_cast<double>(left) >= kShare * k;
  share_of_all_ = options.budget_cost ? 2 * kShare : has_others && left > 1 ? 0 : kShare;
  if (has_others || options.budget_cost) return;
  others_ = static_cast<std::size_t>(std::ceil(kShare * k / kMostMixed));
  share_of_mixed_ = kShare * k / static_cast<double>(others_);
}

bool BestLooks::adopt(const std::shared_ptr<const std::vector<Attribute>>& set, const BestWait& wait,
                      std::uint64_t examples) {
  wait_ = wait;
  if (wanted_ == 0 || !set || (set_ && *set_ == *set)) return false;
  set_ = set;
  since_ = examples;
  ++generation_;
  return true;
}

std::span<const Attribute> BestLooks::among(std::span<const Attribute> available) {
  among_.clear();
  std::ranges::set_intersection(available, *set_, std::back_inserter(among_));
  return among_;
}

double BestLooks::probability(Attribute i, double chance, double chance_of_best) const {
  if (!is_on()) return chance;
  const bool is_best = std::ranges::binary_search(*set_, i);
  const auto size = static_cast<double>(set_->size());
  const auto k = static_cast<double>(budget_);
  const auto of_plan = [&](double looks) {
    const double shown = std::min(looks, size) / k;
    if (is_best) return size <= looks ? 1 / k : chance_of_best > 0 ? shown * chance / chance_of_best : 0;
    return chance_of_best < 1 ? (1 - shown) * chance / (1 - chance_of_best) : 0;
  };
  return share_of_all_ * chance + share_of_mixed_ * of_plan(k - static_cast<double>(others_)) +
         (1 - share_of_all_ - share_of_mixed_) * of_plan(k);
}

void BestLooks::tell(LearnerReport& report) const {
  report.best_wanted = wanted_;
  if (wanted_ > 0 && !is_on()) report.best_waiting = wait_.sentence(wanted_);
  if (!is_on()) return;
  report.best = set_;
  report.best_since = since_;
  report.looks = spread_;
  report.phase = 2;
  report.phase_since = since_;
  report.phase_reason = fmt::format(
      "phase 2 since example {}: looks go to the {} attributes that predict best together (--look-at-best)",
      since_, set_->size());
}

void BestLooks::save(State& state) const {
  if (wanted_ > 0 && !is_on()) wait_.save(state, "best.wait");
  if (generation_ == 0) return;
  const std::uint64_t numbers[] = {wanted_, since_, generation_, is_on() ? 1U : 0U};
  state.put_copy<std::uint64_t>("best.numbers", numbers);
  if (is_on()) state.put_copy<std::uint32_t>("best.attributes", *set_);
}

Status BestLooks::restore(const State& state, std::size_t dimension) {
  forget();
  generation_ = 0;
  GLIMPSE_TRY_ASSIGN(wait_, BestWait::restore(state, "best.wait"));
  if (state.find("best.numbers") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<std::uint64_t>("best.numbers", 4));
  since_ = numbers[1];
  generation_ = static_cast<std::uint32_t>(numbers[2]);
  if (numbers[3] == 0) return {};
  GLIMPSE_TRY_ASSIGN(const auto saved, state.get<std::uint32_t>("best.attributes"));
  const bool ascends = std::adjacent_find(saved.begin(), saved.end(), std::greater_equal<>()) == saved.end();
  if (saved.empty() || !ascends || saved.back() >= dimension || generation_ == 0)
    return failure(ErrorCode::kCorrupt, "best.attributes is no set of attributes below {}", dimension);
  if (numbers[0] == wanted_)
    set_ = std::make_shared<const std::vector<Attribute>>(saved.begin(), saved.end());
  return {};
}

}  // namespace glimpse
