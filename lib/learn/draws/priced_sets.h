#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/state.h"
#include "base/types.h"
#include "learn/core/plan.h"
#include "learn/draws/available_draws.h"
#include "learn/options/options.h"
#include "learn/options/prices.h"
#include "sampling/attribute_set.h"
#include "sampling/level_table.h"

namespace glimpse {

/// How many of some attributes draws are made from, and how many draws: what is left of the money pays for so
/// many whichever they are.
struct FreeDraws {
  std::size_t population = 0;  ///< the cheapest
  std::size_t draws = 0;       ///< two or more, unless the population is smaller
};
/// `ascending`: their prices. As many of the cheapest as leave two draws free, then as many draws as are.
FreeDraws free_draws(std::span<const Money> ascending, Money left, std::size_t most);

/// What plans hold that show some attributes together, all at once. Under a limit of cost hardly any draws
/// may be free of it, and then nothing tells of a model with products. These plans do: the attributes of its
/// products are certain to be in them, and the rest of the model is linear, of which two draws tell. Where
/// the money does not pay for any two others, they are drawn from the cheapest of these.
///
/// Memory: 9 bytes an attribute. Thread-safety: none.
class TogetherDraws {
 public:
  /// From now on these, ascending; none: there are no such plans. `others`: what else can be bought,
  /// ascending by price. `left`: of the money and of the budget of draws. probability(i): by which one of the
  /// others is drawn before another. O(d).
  template <class Probability>
  void set(std::span<const Attribute> certain, std::span<const Attribute> others, const Prices& prices,
           Money left, std::size_t draws, const Probability& probability) {
    choose(certain, others, prices, left, draws);
    if (!others_.empty()) table_.build([&](std::size_t place) { return probability(others_[place]); });
  }
  void clear() { certain_.clear(); }

  bool empty() const { return certain_.empty(); }
  std::span<const Attribute> certain() const { return certain_; }
  /// What free() draws are made from.
  std::span<const Attribute> others() const { return others_; }
  std::size_t free() const { return free_; }
  /// Over places in others().
  const LevelTable& table() const { return table_; }
  std::size_t memory_bytes() const {
    return (certain_.capacity() + others_.capacity()) * sizeof(Attribute) + table_.memory_bytes();
  }

 private:
  void choose(std::span<const Attribute> certain, std::span<const Attribute> others, const Prices& prices,
              Money left, std::size_t draws);

  std::vector<Attribute> certain_;
  std::vector<Attribute> others_;
  std::size_t free_ = 0;
  LevelTable table_;
};

/// Sets of at most `budget` distinct attributes that cost at most `limit`, drawn one after another with q_i ∝
/// r_i/√(c_i + κ), r from look_weights() (PriceScale). These q minimise the pairwise learner's error for the
/// money: see COSTS.md. A draw that no longer fits is passed over.
///
/// The first unlimited() draws fit whatever they are: the dearest so many cost no more than the limit. They
/// are draws from q alone, and go into plan.inner_product as Pairwise's; the attributes drawn after them
/// depend on what is left of the money, and are in the set only. Attributes dearer than the limit are never
/// drawn.
///
/// An eighth of the sets may be such as show some attributes together: show_together(). These are in
/// plan.data_point, with coefficients of 1, and plan.inner_product was drawn from plan.population others.
/// Memory: 46 bytes an attribute. Thread-safety: none.
class PricedSets {
 public:
  /// `options` that validate() accepts, with a limit.
  explicit PricedSets(const LearnerOptions& options);

  /// r(i) > 0 for each attribute. O(d).
  template <class Root>
  void plan(const Root& root) {
    roots_.clear();
    for (const Attribute i : within_) roots_.push_back(buying_ == Buying::kUniform ? 1 : root(i));
    build();
  }

  /// Approximate chances of a set to hold each attribute after plan() with these weights of all attributes,
  /// if it cost the whole limit in the mean and held at most `budget` attributes. 0 where an attribute is
  /// dearer than the limit. O(d).
  void expect(std::span<const double> weights, std::span<double> chances);

  /// Puts a set into `drawn`, which must be empty, and its first draws, with their attributes as positions,
  /// into `plan`. O(K), and O(d) where d ≤ 64·K.
  void draw(Random& random, AttributeSet& drawn, Plan& plan);
  /// The same from `available` alone. O(K·|available|). Whether any of them can be bought.
  bool draw_among(Random& random, std::span<const Attribute> available, AttributeSet& drawn, Plan& plan);

  /// With which the first draw is `attribute`. O(log d).
  double probability(Attribute attribute) const;

  /// Of how many draws from all attributes the limit has no say.
  std::size_t unlimited() const { return unlimited_; }
  /// Whether these are fewer than `draws`, and not all there could be.
  bool is_blind(std::size_t draws) const { return unlimited_ < std::min(draws, within_.size()); }
  /// From now on some sets hold all of these, ascending, if one can; none: no set is of that kind. O(d).
  void show_together(std::span<const Attribute> attributes);
  std::size_t memory_bytes() const {
    return 32 * within_.capacity() + table_.memory_bytes() + together_.memory_bytes();
  }

  void save(State& state) const;
  /// Whether what was saved is of these prices and this limit; otherwise plan() is to be called.
  Result<bool> restore(const State& state);

 private:
  static constexpr std::size_t kTriesAnAttribute = 16;

  void build();
  void scale_roots();
  void offset_passing_over();
  // Of the dearest prices in `dearest_`, as many as fit together; their order is lost.
  std::size_t fit_together();
  // Buys from all of them; the draws of which the money has no say go into the plan.
  void buy(Random& random, AttributeSet& drawn, Plan& plan, std::size_t unlimited);
  void fill(Random& random, AttributeSet& drawn, Plan& plan, std::size_t unlimited);
  bool shows_together(Random& random) const;
  void take_together(AttributeSet& drawn, Plan& plan);
  void draw_together(Random& random, AttributeSet& drawn, Plan& plan);
  bool draw_together_among(Random& random, std::span<const Attribute> available, AttributeSet& drawn,
                           Plan& plan);
  void take(Attribute i, AttributeSet& drawn) {
    bill_.add(i);
    drawn.insert(i);
  }
  bool fits(Attribute i) const { return bill_.next(i) <= limit_ - bill_.total(); }

  const std::shared_ptr<const Prices> prices_;
  const Money limit_;
  const std::size_t budget_;
  const Buying buying_;
  const std::uint64_t fingerprint_;
  const std::vector<Attribute> within_;  // those that can be bought
  Money least_own_;                      // the lowest price of any of them
  std::size_t unlimited_;
  std::vector<std::uint32_t> by_price_;  // places in within_
  LevelTable table_;                     // over places in within_

  Bill bill_;
  std::vector<double> roots_;
  std::vector<double> wanted_;
  std::vector<Money> dearest_;
  std::vector<Attribute> left_;
  SequentialDraws draws_;
  TogetherDraws together_;
};

}  // namespace glimpse
