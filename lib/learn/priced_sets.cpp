#include "learn/priced_sets.h"

#include <algorithm>
#include <functional>

namespace glimpse {

namespace {
constexpr std::size_t kTriesAnAttribute = 16;
constexpr std::size_t kFilled = 64;  // attributes for one of the budget: up to there the rest is looked for
}  // namespace

PricedSets::PricedSets(const LearnerOptions& options)
    : prices_(options.prices),
      limit_(*options.budget_cost),
      budget_(options.budget),
      fingerprint_(price_fingerprint(options)),
      within_(within_budget(options)),
      table_(within_.size()),
      bill_(*prices_) {
  least_own_ = limit_;
  for (const Attribute i : within_) {
    least_own_ = std::min(least_own_, prices_->own(i));
    dearest_.push_back(prices_->alone(i));
  }
  unlimited_ = fit_together();
  roots_.reserve(within_.size());
  left_.reserve(within_.size());
}

std::size_t PricedSets::fit_together() {
  const std::size_t most = std::min(budget_, dearest_.size());
  std::partial_sort(dearest_.begin(), dearest_.begin() + static_cast<std::ptrdiff_t>(most), dearest_.end(),
                    std::greater<>());
  Money left = limit_;
  std::size_t count = 0;
  while (count < most && dearest_[count] <= left) left -= dearest_[count++];
  return count;
}

void PricedSets::build() {
  const PriceScale scale(*prices_, within_, roots_, static_cast<double>(limit_), static_cast<double>(budget_),
                         PriceScale::Draws::kDistinct);
  table_.build([&](std::size_t place) { return roots_[place] * scale(prices_->alone(within_[place])); });
}

void PricedSets::draw(Random& random, AttributeSet& drawn, Plan& plan) {
  bill_.begin();
  plan.population = within_.size();
  double rest = 1;  // what the attributes not drawn yet have of q
  for (std::size_t tries = kTriesAnAttribute * budget_;
       tries > 0 && drawn.size() < budget_ && limit_ - bill_.total() >= least_own_; --tries) {
    const LevelTable::Draw draw = table_.sample(random);
    const Attribute i = within_[draw.attribute];
    if (drawn.contains(i) || !fits(i)) continue;
    if (drawn.size() < unlimited_) plan.inner_product.push_back({i, rest / draw.probability});
    rest -= draw.probability;
    take(i, drawn);
  }
  const bool wanting = drawn.size() < budget_ && limit_ - bill_.total() >= least_own_;
  if (drawn.size() < unlimited_ || (wanting && within_.size() <= kFilled * budget_))
    fill(random, drawn, plan);
  // One draw says nothing of the squared error, unless there was nothing else to draw.
  if (plan.inner_product.size() < 2 && plan.inner_product.size() < plan.population)
    plan.inner_product.clear();
}

// Where q is so concentrated that draws fall on what is drawn already, or is too dear by now: uniformly.
void PricedSets::fill(Random& random, AttributeSet& drawn, Plan& plan) {
  left_.clear();
  for (const Attribute i : within_)
    if (!drawn.contains(i) && fits(i)) left_.push_back(i);
  while (drawn.size() < budget_ && !left_.empty()) {
    const auto place = static_cast<std::size_t>(random.below(left_.size()));
    const Attribute i = left_[place];
    if (drawn.size() < unlimited_) plan.inner_product.push_back({i, static_cast<double>(left_.size())});
    left_[place] = left_.back();
    left_.pop_back();
    if (fits(i)) take(i, drawn);
  }
}

bool PricedSets::draw_among(Random& random, std::span<const Attribute> available, AttributeSet& drawn,
                            Plan& plan) {
  bill_.begin();
  draws_.begin();
  dearest_.clear();
  for (const Attribute i : available) {
    if (prices_->alone(i) > limit_) continue;
    draws_.add(i, probability(i));
    dearest_.push_back(prices_->alone(i));
  }
  if (draws_.size() == 0) return false;
  plan.population = draws_.size();
  const std::size_t unlimited = fit_together();
  while (drawn.size() < budget_) {
    if (drawn.size() >= unlimited) draws_.keep_only([this](Attribute i) { return fits(i); });
    if (draws_.size() == 0) break;
    const SequentialDraws::Drawn draw = draws_.draw(random);
    if (drawn.size() < unlimited) plan.inner_product.push_back({draw.attribute, draw.coefficient});
    take(draw.attribute, drawn);
  }
  if (plan.inner_product.size() < 2 && plan.inner_product.size() < plan.population)
    plan.inner_product.clear();
  return true;
}

double PricedSets::probability(Attribute attribute) const {
  const auto found = std::lower_bound(within_.begin(), within_.end(), attribute);
  if (found == within_.end() || *found != attribute) return 0;
  return table_.probability(static_cast<Attribute>(found - within_.begin()));
}

void PricedSets::save(State& state) const {
  state.put_copy<std::uint8_t>("costs.levels", table_.levels());
  const std::uint64_t numbers[] = {fingerprint_, table_.lowest_key(), table_.shift()};
  state.put_copy<std::uint64_t>("costs.sampling", numbers);
}

Result<bool> PricedSets::restore(const State& state) {
  if (state.find("costs.sampling") == nullptr) return false;
  const auto numbers = state.get<std::uint64_t>("costs.sampling", 3);
  if (!numbers) return numbers.error();
  if ((*numbers)[0] != fingerprint_) return false;
  const auto levels = state.get<std::uint8_t>("costs.levels", within_.size());
  if (!levels) return levels.error();
  if ((*numbers)[2] < 1 || (*numbers)[2] > 31)
    return failure(ErrorCode::kCorrupt, "costs.sampling holds a shift of {}", (*numbers)[2]);
  table_.restore(*levels, static_cast<std::uint32_t>((*numbers)[1]),
                 static_cast<std::uint32_t>((*numbers)[2]));
  return true;
}

}  // namespace glimpse
