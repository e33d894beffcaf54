#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/types.h"
#include "learn/options/prices.h"
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

}  // namespace glimpse
