#include "learn/draws/priced_sampling.h"

#include <algorithm>
#include <cmath>

#include "learn/options/budget_limit.h"

namespace glimpse {

PriceScale::PriceScale(const Prices& prices, std::span<const Attribute> attributes,
                       std::span<const double> roots, double money, double draws, Draws kind) {
  Money cheapest = 0;
  Money dearest = 0;
  for (const Attribute i : attributes) {
    const Money price = prices.alone(i);
    if (price == 0) continue;
    if (cheapest == 0 || price < cheapest) cheapest = price;
    dearest = std::max(dearest, price);
  }
  if (cheapest == 0) return;  // nothing costs anything
  floor_ = static_cast<double>(cheapest);
  // What `draws` draws cost with κ = offset, which grows with κ.
  const auto spending = [&](double offset) {
    offset_ = offset;
    double sum = 0;
    for (std::size_t a = 0; a < attributes.size(); ++a)
      sum += roots[a] * (*this)(prices.alone(attributes[a]));
    double cost = 0;
    for (std::size_t a = 0; a < attributes.size(); ++a) {
      const Money price = prices.alone(attributes[a]);
      double count = draws * roots[a] * (*this)(price) / sum;
      if (kind == Draws::kDistinct) count = std::fmin(count, 1);
      cost += count * static_cast<double>(price);
    }
    return cost;
  };
  constexpr double kAll = std::numeric_limits<double>::infinity();
  if (spending(kAll) <= money) return;
  if (spending(0) >= money) return;
  // κ matters between a part of the lowest price and a multiple of the highest; a rounding of 1/16 of its
  // logarithm's range moves q by little.
  constexpr int kHalvings = 12;
  double low = std::log(floor_ / 16);
  double high = std::log(16 * static_cast<double>(dearest));
  for (int n = 0; n < kHalvings; ++n) {
    const double middle = (low + high) / 2;
    (spending(std::exp(middle)) <= money ? low : high) = middle;
  }
  offset_ = std::exp(low);
}

double PriceScale::operator()(Money price) const {
  if (std::isinf(offset_)) return 1;
  const double paid = std::fmax(static_cast<double>(price), floor_);
  return std::sqrt((floor_ + offset_) / (paid + offset_));
}

namespace {
constexpr double kUniformShare = 0.01;  // of the choice of a class: no weight exceeds 100 times their number

// The dearest attribute that can be bought.
Money dearest_of(const LearnerOptions& options) {
  Money dearest = 0;
  for (const Attribute i : within_budget(options)) dearest = std::max(dearest, options.prices->alone(i));
  return dearest;
}
}  // namespace

std::uint32_t PricedSampling::inner_draws(const LearnerOptions& options, std::uint32_t most) {
  const Money dearest = dearest_of(options);
  if (dearest == 0) return most;
  return static_cast<std::uint32_t>(std::clamp<Money>(*options.budget_cost / (2 * dearest), 1, most));
}

PricedSampling::PricedSampling(const LearnerOptions& options, std::uint32_t data_draws,
                               std::uint32_t inner_draws, MomentPower power)
    : prices_(options.prices),
      limit_(*options.budget_cost),
      half_(*options.budget_cost / 2),
      data_draws_(data_draws),
      inner_draws_(inner_draws),
      power_(power),
      buying_(options.buying),
      fingerprint_(price_fingerprint(options)),
      members_(within_budget(options)),
      place_(options.dimension, kNone),
      bill_(*prices_),
      drawn_(options.dimension) {
  // By hand stable: std::stable_sort of GCC 12 uses what C++20 deprecates.
  std::sort(members_.begin(), members_.end(), [this](Attribute a, Attribute b) {
    const Money price_a = prices_->alone(a);
    const Money price_b = prices_->alone(b);
    return price_a != price_b ? price_a < price_b : a < b;
  });
  for (std::uint32_t place = 0; place < members_.size(); ++place) {
    place_[members_[place]] = place;
    const Money price = prices_->alone(members_[place]);
    if (price == 0) {
      ++free_;
      continue;
    }
    if (classes_.empty() || price > 2 * prices_->alone(members_[classes_.back().first])) {
      classes_.emplace_back();
      classes_.back().first = place;
    }
    classes_.back().top = price;
  }
  if (free_ > 0) free_class_.table = LevelTable(free_);
  for (std::size_t s = 0; s < classes_.size(); ++s) {
    const std::size_t end = s + 1 < classes_.size() ? classes_[s + 1].first : members_.size();
    classes_[s].table = LevelTable(end - classes_[s].first);
  }
  roots_.reserve(members_.size());
  moments_.reserve(members_.size());
}

// What the inner-product draws cost, taking prices as unrelated to p.
double PricedSampling::inner_money(std::span<const double> roots) const {
  double sum = 0;
  double cost = 0;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    sum += roots[m];
    cost += roots[m] * static_cast<double>(prices_->alone(members_[m]));
  }
  return std::fmin(static_cast<double>(half_), inner_draws_ * cost / sum);
}

void PricedSampling::build() {
  const double money = static_cast<double>(limit_) - inner_money(roots_);
  const auto paid_members = std::span(members_).subspan(free_);
  const auto paid_roots = std::span(roots_).subspan(free_);
  double free_roots = 0;
  double all_paid = 0;
  for (std::uint32_t m = 0; m < free_; ++m) free_roots += roots_[m];
  for (const double root : paid_roots) all_paid += root;
  facts_ = Facts();
  facts_.free_share = free_roots / (free_roots + all_paid);
  facts_.paid_draws = data_draws_;
  if (free_ > 0 && data_draws_ > 1)
    facts_.paid_draws = std::clamp(std::round(data_draws_ * (1 - facts_.free_share)), 1.0, data_draws_ - 1.0);
  if (classes_.empty()) facts_.paid_draws = 0;

  // Ridge's bound is lowest with √(M_i/c_i). Lasso's holds the largest M_i/n_i: whatever the prices, n_i ∝
  // M_i.
  PriceScale scale;
  const bool priced = buying_ == Buying::kPriced && power_ == MomentPower::kRoot && !classes_.empty();
  if (priced)
    scale = PriceScale(*prices_, paid_members, paid_roots, money, facts_.paid_draws,
                       PriceScale::Draws::kIndependent);
  double mass = 0;
  for (std::size_t m = free_; m < members_.size(); ++m) {
    if (priced) roots_[m] *= scale(prices_->alone(members_[m]));
    mass += roots_[m];
  }
  if (free_ > 0) {
    build_class(free_class_, free_, free_roots);
  }
  for (std::size_t s = 0; s < classes_.size(); ++s) {
    const std::size_t end = s + 1 < classes_.size() ? classes_[s + 1].first : members_.size();
    build_class(classes_[s], static_cast<std::uint32_t>(end), mass);
  }
  find_facts(money);
}

void PricedSampling::build_class(Class& c, std::uint32_t end, double all) {
  c.table.build([&](std::size_t place) { return roots_[c.first + place]; });
  double mass = 0;
  c.ratio = 0;
  c.plain = 0;
  for (std::uint32_t m = c.first; m < end; ++m) {
    mass += roots_[m];
    const double ratio = moments_[m] / c.table.probability(m - c.first);
    if (power_ == MomentPower::kRoot) {
      c.ratio += ratio;
      c.plain += moments_[m];
    } else {
      c.ratio = std::max(c.ratio, ratio);
      c.plain = std::max(c.plain, moments_[m]);
    }
  }
  c.mass = mass / all;
}

void PricedSampling::find_facts(double money) {
  const bool sums = power_ == MomentPower::kRoot;
  double paid_second = 0;
  if (!classes_.empty()) {
    double one_draw = 0;  // the bound of one draw from q
    for (const Class& c : classes_) {
      one_draw = sums ? one_draw + c.ratio / c.mass : std::max(one_draw, c.ratio / c.mass);
      for (std::size_t place = 0; place < c.table.size(); ++place)
        facts_.mean_price += c.mass * c.table.probability(static_cast<Attribute>(place)) *
                             static_cast<double>(prices_->alone(members_[c.first + place]));
    }
    const auto most = static_cast<std::uint32_t>(facts_.paid_draws);
    const double dearest = static_cast<double>(classes_.back().top);
    // What is left when the last share comes.
    const auto last_money =
        static_cast<Money>(std::fmax(dearest, std::fmin(money, 2 * dearest - facts_.mean_price)));
    facts_.last_worth = one_draw / choose_classes(last_money, most);
    double last_draws = 0;
    for (std::size_t s = 0; s < classes_.size(); ++s)
      last_draws += chances_[s] / class_sums_.total() * affordable(classes_[s], last_money, most);
    const double first = first_draws(money, dearest, facts_.mean_price);
    facts_.usual_paid = std::fmin(facts_.paid_draws, first + last_draws);
    paid_second = one_draw / std::fmin(facts_.paid_draws, first + facts_.last_worth);
    // What K leaves over when the money is spent goes to the free attributes.
    if (free_ > 0 && data_draws_ > 1)
      facts_.paid_draws = std::clamp(std::ceil(first + last_draws), 1.0, std::fmax(facts_.paid_draws, 1.0));
  }
  facts_.free_draws = free_ > 0 ? data_draws_ - facts_.paid_draws : 0;
  double free_second = facts_.free_draws > 0 ? bound_of(free_class_, facts_.free_draws) : 0;
  facts_.draws = inner_draws_ + facts_.usual_paid + facts_.free_draws;
  if (free_ > 0 && !classes_.empty() && data_draws_ == 1) {
    free_second = free_class_.ratio / facts_.free_share;
    paid_second /= 1 - facts_.free_share;
    facts_.draws = inner_draws_ + 1;
  }
  facts_.largest_second = std::fmax(free_second, paid_second);
}

// Ridge minimises Σ bound_s/π_s, lasso the largest: π_s ∝ √bound_s, or bound_s. The minimum is returned, that
// for draws of weight 1. Without regard to prices expected draws are to be ∝ q: π_s ∝ q's share of s over
// k_s.
double PricedSampling::choose_classes(Money money, std::uint32_t left) {
  const bool sums = power_ == MomentPower::kRoot;
  chances_.clear();
  double total = 0;
  double minimum = 0;
  for (const Class& c : classes_) {
    const std::uint32_t k = affordable(c, money, left);
    const double bound = bound_of(c, k);
    const double best = sums ? std::sqrt(bound) : bound;
    chances_.push_back(buying_ == Buying::kPriced ? best : c.mass / k);
    total += chances_.back();
    minimum += best;
  }
  const double floor = kUniformShare * total / static_cast<double>(classes_.size());
  class_sums_.begin();
  for (double& chance : chances_) {
    chance = (1 - kUniformShare) * chance + floor;
    class_sums_.add(chance);
  }
  return sums ? minimum * minimum : minimum;
}

const PricedSampling::Class& PricedSampling::class_of(std::uint32_t place) const {
  if (place < free_) return free_class_;
  std::size_t s = 0;
  while (s + 1 < classes_.size() && place >= classes_[s + 1].first) ++s;
  return classes_[s];
}

PricedSampling::Split PricedSampling::split(Random& random, bool any_free, bool any_paid) const {
  if (!any_free) return {0, data_draws_, 1};
  if (!any_paid) return {data_draws_, 0, 1};
  if (data_draws_ > 1)
    return {static_cast<std::uint32_t>(facts_.free_draws), static_cast<std::uint32_t>(facts_.paid_draws), 1};
  if (random.uniform() < facts_.free_share) return {1, 0, 1 / facts_.free_share};
  return {0, 1, 1 / (1 - facts_.free_share)};
}

double PricedSampling::probability(Attribute attribute) const {
  const std::uint32_t place = place_[attribute];
  if (place == kNone) return 0;
  const Class& c = class_of(place);
  const double q = c.mass * c.table.probability(place - c.first);
  if (free_ == 0 || classes_.empty()) return q;
  const double free_share =
      data_draws_ > 1 ? facts_.free_draws / (facts_.free_draws + facts_.usual_paid) : facts_.free_share;
  return q * (place < free_ ? free_share : 1 - free_share);
}

void PricedSampling::save(State& state) const {
  state.put_number("costs.fingerprint", fingerprint_);
  std::vector<std::uint8_t> levels;
  std::vector<std::uint32_t> keys;
  std::vector<double> numbers;
  std::vector<std::uint64_t> sizes;
  const auto add = [&](const Class& c) {
    sizes.push_back(c.table.size());
    levels.insert(levels.end(), c.table.levels().begin(), c.table.levels().end());
    keys.insert(keys.end(), {c.table.lowest_key(), c.table.shift()});
    numbers.insert(numbers.end(), {c.mass, c.ratio, c.plain});
  };
  if (free_ > 0) add(free_class_);
  for (const Class& c : classes_) add(c);
  numbers.insert(numbers.end(), {facts_.mean_price, facts_.last_worth, facts_.free_share, facts_.free_draws,
                                 facts_.paid_draws, facts_.largest_second, facts_.draws, facts_.usual_paid});
  state.put_copy<std::uint8_t>("costs.levels", levels);
  state.put_copy<std::uint32_t>("costs.keys", keys);
  state.put_copy<std::uint64_t>("costs.sizes", sizes);  // for check_state(): here they follow from the prices
  state.put_copy<double>("costs.numbers", numbers);
}

Result<bool> PricedSampling::restore(const State& state) {
  constexpr std::size_t kFacts = 8;
  GLIMPSE_TRY_ASSIGN(const auto fingerprint, state.get_number<std::uint64_t>("costs.fingerprint"));
  if (fingerprint != fingerprint_) return false;
  const std::size_t tables = classes_.size() + (free_ > 0 ? 1 : 0);
  GLIMPSE_TRY_ASSIGN(const auto levels, state.get<std::uint8_t>("costs.levels", members_.size()));
  GLIMPSE_TRY_ASSIGN(const auto keys, state.get<std::uint32_t>("costs.keys", 2 * tables));
  GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<double>("costs.numbers", 3 * tables + kFacts));
  std::size_t t = 0;
  for (; t < tables; ++t) {
    Class& c = free_ > 0 && t == 0 ? free_class_ : classes_[t - (free_ > 0 ? 1 : 0)];
    if (!c.table.restore(levels.subspan(c.first, c.table.size()), keys[2 * t], keys[2 * t + 1]))
      return failure(ErrorCode::kCorrupt, "costs.keys is of no distribution: {} and {}", keys[2 * t],
                     keys[2 * t + 1]);
    c.mass = numbers[3 * t];
    c.ratio = numbers[3 * t + 1];
    c.plain = numbers[3 * t + 2];
  }
  const double* fact = numbers.data() + 3 * t;
  facts_ = {fact[0], fact[1], fact[2], fact[3], fact[4], fact[5], fact[6], fact[7]};
  return true;
}

}  // namespace glimpse
