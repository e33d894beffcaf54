#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/state.h"
#include "base/types.h"
#include "learn/draws/available_draws.h"
#include "learn/draws/moment_weights.h"
#include "learn/options/options.h"
#include "learn/options/prices.h"
#include "sampling/attribute_set.h"
#include "sampling/level_table.h"

namespace glimpse {

/// How the price of an attribute enters its chance: q_i ∝ r_i/√(c_i + κ), where r_i ∝ √M_i would be its
/// chance without prices (EXPERIMENTS.md derives it). κ = 0 where the limit of cost is what binds, ∞ where
/// the limit of K draws is, and between the two where both do. Free attributes are priced like the cheapest
/// of the others. Thread-safety: calls are const.
class PriceScale {
 public:
  /// A set of draws that K bounds as well: with replacement, or each attribute once at most.
  enum class Draws { kIndependent, kDistinct };

  /// κ = ∞.
  PriceScale() = default;
  /// roots[a]: r of attributes[a]. Finds κ, so that `draws` draws cost `money` on average if κ is neither 0
  /// nor ∞. O(attributes).
  PriceScale(const Prices& prices, std::span<const Attribute> attributes, std::span<const double> roots,
             double money, double draws, Draws kind);

  /// By what to multiply r: above 0, at most 1, for a price alone() in millionths.
  double operator()(Money price) const;

 private:
  double floor_ = 1;                                         // the cheapest price above 0
  double offset_ = std::numeric_limits<double>::infinity();  // κ
};

/// The draws of a first-order learner's plan that may cost no more than a limit C: x̃ = Σ_r
/// coefficient·x[i_r], unbiased for x on the attributes that can be bought, and within C whatever is drawn.
/// EXPERIMENTS.md derives it.
///
/// The inner-product draws come first, few enough that they cost at most C/2, and their bill is known. What
/// is left, R, is at least c_max, the dearest price. While R ≥ 2·c_max, one draw after another falls on i
/// with
///
///     q_i ∝ √(M_i/(c_i + κ)) for ridge,   q_i ∝ M_i for lasso
///
/// and counts with a share of the weight that is left. The share is decided before the draw is made. The
/// shares add up to 1 whatever is drawn, so x̃ is unbiased although the number of draws depends on what the
/// first ones cost. The last share goes to as many draws as are still paid for. Attributes stand in classes
/// of price, the top price of a class at most twice its lowest. One class s is chosen with probability π_s,
/// and R/top_s draws are made from q within that class. Attributes that are free have draws of their own in
/// every plan.
///
/// The caller draws an example's plan in this order: begin(), pay() for each inner-product draw, draw() or
/// draw_among(). Memory: 14 bytes an attribute. Thread-safety: none.
class PricedSampling {
 public:
  /// `options` that validate() accepts, with a limit. k_x + k_p ≤ K, k_p from inner_draws().
  PricedSampling(const LearnerOptions& options, std::uint32_t data_draws, std::uint32_t inner_draws,
                 MomentPower power);

  /// k_p: at most `most`, at least 1, and together never above C/2.
  static std::uint32_t inner_draws(const LearnerOptions& options, std::uint32_t most);

  /// Whether `attribute` can never be bought: 2c_i > C.
  bool beyond(std::size_t attribute) const {
    return prices_->alone(static_cast<Attribute>(attribute)) > half_;
  }

  /// q from root(i) > 0, its chance without prices, and moment(i), its M_i. O(d).
  template <class Root, class Moment>
  void plan(const Root& root, const Moment& moment) {
    roots_.clear();
    moments_.clear();
    for (const Attribute i : members_) {
      roots_.push_back(buying_ == Buying::kUniform ? 1 : root(i));
      moments_.push_back(moment(i));
    }
    build();
  }

  void begin() {
    drawn_.take_all(taken_);
    bill_.begin();
  }
  void pay(Attribute i) {
    if (drawn_.insert(i)) bill_.add(i);
  }
  /// Calls add(attribute, coefficient) for each draw. O(K + classes).
  template <class Add>
  void draw(Random& random, const Add& add);
  /// The same from `available` alone. O(|available|). Whether any of them can be bought.
  template <class Add>
  bool draw_among(Random& random, std::span<const Attribute> available, const Add& add);

  /// The share of the draws of x̃ that fall on `attribute`.
  double probability(Attribute attribute) const;
  /// max_i E[x̃_i²]/(E[x_i²] = M_i as planned)·M_i, of a plan of the usual price.
  double largest_second() const { return facts_.largest_second; }
  /// How many draws, of both parts, a plan of the usual price has.
  double draws_an_example() const { return facts_.draws; }

  std::size_t memory_bytes() const { return 8 * place_.capacity() + 5 * members_.capacity(); }

  void save(State& state) const;
  /// Whether what was saved is of these prices and this limit; otherwise plan() is to be called.
  Result<bool> restore(const State& state);

 private:
  struct Class {
    Money top = 0;
    std::uint32_t first = 0;  // in members_
    LevelTable table;         // over those of this class
    double mass = 0;          // with which a draw from q falls into it; 1 for the free class
    double ratio = 0;         // Σ M_i/q_{i|s}, for lasso the largest
    double plain = 0;         // Σ M_i, for lasso the largest
  };
  struct Facts {
    double mean_price = 0;  // of a draw from q
    double last_worth = 1;  // how many such draws the last share's are worth
    double free_share = 0;  // where one draw has to do for both: with which it is free
    double free_draws = 0;  // of K: for free attributes, and at most for the others
    double paid_draws = 0;
    double largest_second = 0;
    double draws = 0;
    double usual_paid = 0;  // of these, paid for
  };
  static constexpr std::uint32_t kNone = ~0U;

  void build();
  void build_class(Class& c, std::uint32_t end, double scale_sum);
  void find_facts(double money);
  double inner_money(std::span<const double> roots) const;
  // The bound on E‖x̃‖² (lasso: on max E[x̃_i²]) of k draws from a class alone, and of the whole last share.
  double bound_of(const Class& c, double k) const { return c.ratio / k + (1 - 1 / k) * c.plain; }
  double choose_classes(Money money, std::uint32_t left);
  std::uint32_t affordable(const Class& c, Money money, std::uint32_t left) const {
    return static_cast<std::uint32_t>(std::min<Money>(left, money / c.top));
  }
  const Class& class_of(std::uint32_t place) const;
  Money left() const { return limit_ - bill_.total(); }
  // How many draws from q it takes, more or less, until less than twice the dearest price is left.
  static double first_draws(double money, double dearest, double mean_price) {
    return money < 2 * dearest ? 0 : (money - 2 * dearest) / mean_price + 1;
  }
  // Of the weight that is left, the next draw's: one of those that are likely to come.
  double share(std::uint32_t left_draws, double dearest, double mean_price, double last_worth) const {
    const double draws = first_draws(static_cast<double>(left()), dearest, mean_price) + last_worth;
    return 1 / std::clamp(draws, kFewest, std::max<double>(left_draws, kFewest));
  }
  static constexpr double kFewest = 1.25;

  template <class Add>
  void draw_from(Random& random, const Class& c, double coefficient, const Add& add) {
    const LevelTable::Draw draw = c.table.sample(random);
    add(members_[c.first + draw.attribute], coefficient / draw.probability);
  }
  template <class Add>
  void draw_paid(Random& random, std::uint32_t left_draws, double weight, const Add& add);
  // Which numbers of draws the two kinds have in this plan, and by what theirs are multiplied.
  struct Split {
    std::uint32_t free;
    std::uint32_t paid;
    double weight;
  };
  Split split(Random& random, bool any_free, bool any_paid) const;

  const std::shared_ptr<const Prices> prices_;
  const Money limit_;
  const Money half_;
  const std::uint32_t data_draws_;
  const std::uint32_t inner_draws_;
  const MomentPower power_;
  const Buying buying_;
  const std::uint64_t fingerprint_;
  std::vector<Attribute> members_;    // those that can be bought: the free ones, then by price
  std::vector<std::uint32_t> place_;  // of each attribute in members_; kNone: beyond
  std::uint32_t free_ = 0;            // how many are free
  Class free_class_;
  std::vector<Class> classes_;
  Facts facts_;

  Bill bill_;
  AttributeSet drawn_;
  std::vector<Attribute> taken_;
  std::vector<double> roots_;
  std::vector<double> moments_;
  std::vector<double> chances_;  // of the classes
  std::vector<Attribute> among_free_;
  std::vector<Attribute> among_paid_;
  RunningSums free_sums_;
  RunningSums paid_sums_;
  RunningSums class_sums_;
};

template <class Add>
void PricedSampling::draw(Random& random, const Add& add) {
  const Split parts = split(random, free_ > 0, !classes_.empty());
  for (std::uint32_t r = 0; r < parts.free; ++r)
    draw_from(random, free_class_, parts.weight / parts.free, add);
  if (parts.paid > 0) draw_paid(random, parts.paid, parts.weight, add);
}

template <class Add>
void PricedSampling::draw_paid(Random& random, std::uint32_t left_draws, double weight, const Add& add) {
  const Money dearest = classes_.back().top;
  for (; left_draws >= 2 && left() >= 2 * dearest; --left_draws) {
    const double part =
        weight * share(left_draws, static_cast<double>(dearest), facts_.mean_price, facts_.last_worth);
    weight -= part;
    const double at = random.uniform();
    std::size_t s = 0;
    for (double sum = classes_[0].mass; s + 1 < classes_.size() && at >= sum; sum += classes_[s].mass) ++s;
    draw_from(random, classes_[s], part / classes_[s].mass, [&](Attribute i, double coefficient) {
      pay(i);
      add(i, coefficient);
    });
  }
  const Money money = left();
  choose_classes(money, left_draws);
  const std::size_t s = class_sums_.sample(random);
  const std::uint32_t k = affordable(classes_[s], money, left_draws);
  const double coefficient = weight * class_sums_.total() / (chances_[s] * k);
  for (std::uint32_t r = 0; r < k; ++r) draw_from(random, classes_[s], coefficient, add);
}

template <class Add>
bool PricedSampling::draw_among(Random& random, std::span<const Attribute> available, const Add& add) {
  among_free_.clear();
  among_paid_.clear();
  free_sums_.begin();
  paid_sums_.begin();
  Money dearest = 0;
  double prices = 0;
  const auto weight_of = [this](std::uint32_t place) {
    const Class& c = class_of(place);
    return c.mass * c.table.probability(place - c.first);
  };
  for (const Attribute i : available) {
    const std::uint32_t place = place_[i];
    if (place == kNone) continue;
    const bool is_free = place < free_;
    const double q = weight_of(place);
    (is_free ? free_sums_ : paid_sums_).add(q);
    (is_free ? among_free_ : among_paid_).push_back(i);
    dearest = std::max(dearest, prices_->alone(i));
    prices += q * static_cast<double>(prices_->alone(i));
  }
  if (among_free_.empty() && among_paid_.empty()) return false;
  Split parts = split(random, !among_free_.empty(), !among_paid_.empty());
  const auto draw_one = [&](const RunningSums& sums, const std::vector<Attribute>& attributes, double part) {
    const Attribute i = attributes[sums.sample(random)];
    pay(i);
    add(i, part * sums.total() / weight_of(place_[i]));
  };
  for (std::uint32_t r = 0; r < parts.free; ++r) draw_one(free_sums_, among_free_, parts.weight / parts.free);
  if (parts.paid == 0) return true;
  const double mean_price = prices / paid_sums_.total();
  for (; parts.paid >= 2 && left() >= 2 * dearest; --parts.paid) {
    const double part = parts.weight * share(parts.paid, static_cast<double>(dearest), mean_price, 1);
    parts.weight -= part;
    draw_one(paid_sums_, among_paid_, part);
  }
  draw_one(paid_sums_, among_paid_, parts.weight);
  return true;
}

}  // namespace glimpse
