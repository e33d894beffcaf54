#include "learn/draws/priced_sets.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "learn/draws/priced_sampling.h"
#include "learn/options/budget_limit.h"

namespace glimpse {

FreeDraws free_draws(std::span<const Money> ascending, Money left, std::size_t most) {
  std::size_t n = most > 0 ? ascending.size() : 0;
  // Prices are capped, so that sums of two never wrap.
  while (n > 1 && (most < 2 || ascending[n - 1] + ascending[n - 2] > left)) --n;
  if (n == 1 && ascending[0] > left) n = 0;
  FreeDraws result{n, 0};
  while (result.draws < std::min(n, most) && ascending[n - 1 - result.draws] <= left)
    left -= ascending[n - 1 - result.draws++];
  return result;
}

void TogetherDraws::choose(std::span<const Attribute> certain, std::span<const Attribute> others,
                           const Prices& prices, Money left, std::size_t draws) {
  certain_.assign(certain.begin(), certain.end());
  std::vector<Money> ascending;
  for (const Attribute i : others) ascending.push_back(prices.alone(i));
  const FreeDraws free = free_draws(ascending, left, draws);
  others_.assign(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(free.population));
  free_ = free.draws;
  table_ = others_.empty() ? LevelTable() : LevelTable(others_.size());
}

namespace {
constexpr std::size_t kFilled = 64;  // attributes for one of the budget: up to there the rest is looked for
}  // namespace

PricedSets::PricedSets(const LearnerOptions& options)
    : prices_(options.prices),
      limit_(*options.budget_cost),
      budget_(options.budget),
      buying_(options.buying),
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
  by_price_.resize(within_.size());
  std::iota(by_price_.begin(), by_price_.end(), 0U);
  // By hand stable: std::stable_sort of GCC 12 uses what C++20 deprecates.
  std::sort(by_price_.begin(), by_price_.end(), [this](std::uint32_t a, std::uint32_t b) {
    const Money price_a = prices_->alone(within_[a]);
    const Money price_b = prices_->alone(within_[b]);
    return price_a != price_b ? price_a < price_b : a < b;
  });
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

void PricedSets::scale_roots() {
  const PriceScale scale(*prices_, within_, roots_, static_cast<double>(limit_), static_cast<double>(budget_),
                         PriceScale::Draws::kDistinct);
  for (std::size_t place = 0; place < within_.size(); ++place)
    roots_[place] *= scale(prices_->alone(within_[place]));
}

void PricedSets::build() {
  if (buying_ == Buying::kPriced) {
    scale_roots();
    offset_passing_over();
  }
  table_.build([this](std::size_t place) { return roots_[place]; });
  const std::vector<Attribute> certain(together_.certain().begin(), together_.certain().end());
  if (!certain.empty()) show_together(certain);
}

void PricedSets::expect(std::span<const double> weights, std::span<double> chances) {
  roots_.clear();
  for (const Attribute i : within_) roots_.push_back(buying_ == Buying::kUniform ? 1 : weights[i]);
  if (buying_ == Buying::kPriced) scale_roots();
  double sum = 0;
  double cost = 0;
  for (std::size_t place = 0; place < within_.size(); ++place) {
    sum += roots_[place];
    cost += roots_[place] * static_cast<double>(prices_->alone(within_[place]));
  }
  double factor = static_cast<double>(budget_) / sum;
  if (cost > 0) factor = std::min(factor, static_cast<double>(limit_) / cost);
  std::fill(chances.begin(), chances.end(), 0.0);
  for (std::size_t place = 0; place < within_.size(); ++place)
    chances[within_[place]] = std::min(1.0, factor * roots_[place]);
}

// Draws that do not fit are passed over, so that what is dear would be bought less often than q has it, and
// the more so the less money there is. While R is left, a unit of it buys i at the rate q_i/m(R) if c_i ≤ R,
// where m(R) = Σ_{c_j ≤ R} q_j·c_j, so that in the mean π_i = q_i·t_i with
//
//     t_i = t_0 + ∫ dR/m(R) from max(c_i, R_end) to C,   R_end = max(0, C − K·m(C)), where K ends the set.
//
// t_0 = E[c²]/(2m²), at least 1, is for the first draw, which has all of C: what renewal theory adds to the
// number of renewals in an interval that begins with one. q ∝ wanted/t is found by iteration.
void PricedSets::offset_passing_over() {
  constexpr int kRounds = 8;
  wanted_ = roots_;
  for (int round = 0; round < kRounds; ++round) {
    double sum = 0;
    double mean_price = 0;
    double mean_square = 0;
    for (const std::uint32_t place : by_price_) {
      const auto price = static_cast<double>(prices_->alone(within_[place]));
      sum += roots_[place];
      mean_price += roots_[place] * price;
      mean_square += roots_[place] * price * price;
    }
    mean_price /= sum;
    mean_square /= sum;
    if (!(mean_price > 0)) return;  // nothing costs anything
    const auto limit = static_cast<double>(limit_);
    const double end = std::fmax(0, limit - static_cast<double>(budget_) * mean_price);
    double t = std::fmax(1, mean_square / (2 * mean_price * mean_price));
    double left = limit;
    double mean = mean_price;  // m(left)
    for (std::size_t k = by_price_.size(); k-- > 0;) {
      const std::uint32_t place = by_price_[k];
      const auto price = static_cast<double>(prices_->alone(within_[place]));
      const double to = std::fmin(left, std::fmax(price, end));
      t += (left - to) / std::fmax(mean, mean_price * 1e-3);
      left = to;
      mean -= roots_[place] / sum * price;
      roots_[place] = std::sqrt(roots_[place] / sum * wanted_[place] / t);
    }
  }
}

void PricedSets::draw(Random& random, AttributeSet& drawn, Plan& plan) {
  bill_.begin();
  if (shows_together(random)) return draw_together(random, drawn, plan);
  plan.population = within_.size();
  buy(random, drawn, plan, unlimited_);
  // One draw says nothing of the squared error, unless there was nothing else to draw.
  if (plan.inner_product.size() < 2 && plan.inner_product.size() < plan.population)
    plan.inner_product.clear();
}

void PricedSets::buy(Random& random, AttributeSet& drawn, Plan& plan, std::size_t unlimited) {
  double rest = 1;  // what the attributes not drawn yet have of q
  for (std::size_t tries = kTriesAnAttribute * budget_;
       tries > 0 && drawn.size() < budget_ && limit_ - bill_.total() >= least_own_; --tries) {
    const LevelTable::Draw draw = table_.sample(random);
    const Attribute i = within_[draw.attribute];
    if (drawn.contains(i) || !fits(i)) continue;
    if (drawn.size() < unlimited) plan.inner_product.push_back({i, rest / draw.probability});
    rest -= draw.probability;
    take(i, drawn);
  }
  const bool wanting = drawn.size() < budget_ && limit_ - bill_.total() >= least_own_;
  if (drawn.size() < unlimited || (wanting && within_.size() <= kFilled * budget_))
    fill(random, drawn, plan, unlimited);
}

// Where q is so concentrated that draws fall on what is drawn already, or is too dear by now: uniformly.
void PricedSets::fill(Random& random, AttributeSet& drawn, Plan& plan, std::size_t unlimited) {
  left_.clear();
  for (const Attribute i : within_)
    if (!drawn.contains(i) && fits(i)) left_.push_back(i);
  while (drawn.size() < budget_ && !left_.empty()) {
    const auto place = static_cast<std::size_t>(random.below(left_.size()));
    const Attribute i = left_[place];
    if (drawn.size() < unlimited) plan.inner_product.push_back({i, static_cast<double>(left_.size())});
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
  if (shows_together(random) && draw_together_among(random, available, drawn, plan)) return true;
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
  GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<std::uint64_t>("costs.sampling", 3));
  if (numbers[0] != fingerprint_) return false;
  GLIMPSE_TRY_ASSIGN(const auto levels, state.get<std::uint8_t>("costs.levels", within_.size()));
  if (!table_.restore(levels, static_cast<std::uint32_t>(numbers[1]), static_cast<std::uint32_t>(numbers[2])))
    return failure(ErrorCode::kCorrupt, "costs.sampling is of no distribution");
  return true;
}

// Sets that show some attributes together: TogetherDraws.

namespace {
constexpr double kShareTogether = 0.125;
}  // namespace

void PricedSets::show_together(std::span<const Attribute> attributes) {
  bill_.begin();
  for (const Attribute i : attributes) bill_.add(i);
  if (attributes.size() > budget_ || bill_.total() > limit_) attributes = {};
  if (attributes.empty()) return together_.clear();
  std::vector<Attribute> others;
  for (const std::uint32_t place : by_price_)
    if (!std::ranges::binary_search(attributes, within_[place])) others.push_back(within_[place]);
  together_.set(attributes, others, *prices_, limit_ - bill_.total(), budget_ - attributes.size(),
                [this](Attribute i) { return probability(i); });
}

bool PricedSets::shows_together(Random& random) const {
  return !together_.empty() && random.uniform() < kShareTogether;
}

void PricedSets::take_together(AttributeSet& drawn, Plan& plan) {
  for (const Attribute i : together_.certain()) {
    plan.data_point.push_back({i, 1});
    take(i, drawn);
  }
}

void PricedSets::draw_together(Random& random, AttributeSet& drawn, Plan& plan) {
  take_together(drawn, plan);
  plan.population = together_.others().size();
  double rest = 1;
  for (std::size_t tries = kTriesAnAttribute * budget_;
       tries > 0 && plan.inner_product.size() < together_.free(); --tries) {
    const LevelTable::Draw draw = together_.table().sample(random);
    const Attribute i = together_.others()[draw.attribute];
    if (drawn.contains(i)) continue;
    plan.inner_product.push_back({i, rest / draw.probability});
    rest -= draw.probability;
    take(i, drawn);
  }
  left_.clear();
  if (plan.inner_product.size() < together_.free())
    for (const Attribute i : together_.others())
      if (!drawn.contains(i)) left_.push_back(i);
  while (plan.inner_product.size() < together_.free()) {
    const auto place = static_cast<std::size_t>(random.below(left_.size()));
    plan.inner_product.push_back({left_[place], static_cast<double>(left_.size())});
    take(left_[place], drawn);
    left_[place] = left_.back();
    left_.pop_back();
  }
  buy(random, drawn, plan, 0);
}

// False, and nothing is drawn: some of them are not there.
bool PricedSets::draw_together_among(Random& random, std::span<const Attribute> available,
                                     AttributeSet& drawn, Plan& plan) {
  if (!std::ranges::includes(available, together_.certain())) return false;
  take_together(drawn, plan);
  left_.clear();
  for (const Attribute i : available)
    if (prices_->alone(i) <= limit_ && !drawn.contains(i)) left_.push_back(i);
  std::ranges::sort(left_, [this](Attribute a, Attribute b) {
    const Money price_a = prices_->alone(a);
    const Money price_b = prices_->alone(b);
    return price_a != price_b ? price_a < price_b : a < b;
  });
  dearest_.clear();
  for (const Attribute i : left_) dearest_.push_back(prices_->alone(i));
  const FreeDraws free = free_draws(dearest_, limit_ - bill_.total(), budget_ - drawn.size());
  plan.population = free.population;
  draws_.begin();
  for (std::size_t k = 0; k < free.population; ++k) draws_.add(left_[k], probability(left_[k]));
  while (plan.inner_product.size() < free.draws) {
    const SequentialDraws::Drawn draw = draws_.draw(random);
    plan.inner_product.push_back({draw.attribute, draw.coefficient});
    take(draw.attribute, drawn);
  }
  draws_.begin();
  for (const Attribute i : left_)
    if (!drawn.contains(i)) draws_.add(i, probability(i));
  while (drawn.size() < budget_) {
    draws_.keep_only([this](Attribute i) { return fits(i); });
    if (draws_.size() == 0) break;
    take(draws_.draw(random).attribute, drawn);
  }
  return true;
}

}  // namespace glimpse
