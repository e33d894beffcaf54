#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "base/types.h"
#include "learn/core/product_slots.h"

namespace glimpse {

/// Which attributes have products, where there is no room for those of all. Some places are held by
/// attributes that matter to the model, alone or in products; the others go round. The attributes of a round
/// stay until their products were seen kLooks times each in the mean. The more promising half of them then
/// stays for another one, and the next attributes come in place of the others. So every attribute is tried
/// with those that matter: the products of an attribute that explains something (weak heredity: Bien, Taylor
/// & Tibshirani 2013) are found; of two that explain nothing alone only where both are there at once.
///
/// Nothing here depends on who solves when: the same examples lead to the same members. Thread-safety: none.
class ProductMembers {
 public:
  /// Of a product, in the mean, in a round.
  static constexpr double kLooks = 64;
  /// Beyond this many deviations a place promises something.
  static constexpr double kPromising = 2;

  ProductMembers(std::size_t attributes, std::size_t places);

  /// There is room for all: nothing goes round.
  bool has_all() const { return goes_round_.size() == attributes_; }
  bool goes_round(std::size_t place) const { return goes_round_[place] != 0; }
  /// Products that there have been so far: ProductSolver::Basis::tried. 0 where all are there.
  double tried() const { return tried_; }

  /// An example showed so many members, and so many of these go round. True: the round is over. Where nothing
  /// goes round it is over once all products were seen kLooks times each in the mean.
  bool add(std::size_t members, std::size_t going_round);

  /// What is known at the end of a round.
  struct Worth {
    std::vector<double> attributes;  ///< of each: what it adds to predictions alone, w²v; or none
    std::vector<double> products;    ///< by place: above 0 where the model has a product of it
    std::vector<double> promise;     ///< by place: the largest |z| of its products
  };
  /// The next round: calls replace(place, attribute) for each place that another attribute has from now on.
  template <class Replace>
  void next_round(const ProductSlots& slots, const Worth& worth, const Replace& replace) {
    for (const auto& [place, attribute] : choose(slots, worth)) replace(place, attribute);
  }
  /// As at the beginning, with the members that there are.
  void clear();

  /// "products.round", where there is something to save.
  void save(State& state) const;
  /// Errors: kCorrupt.
  Status restore(const State& state);

 private:
  struct Change {
    std::size_t place;
    Attribute attribute;
  };
  std::vector<Change> choose(const ProductSlots& slots, const Worth& worth);
  std::vector<Attribute> most_important(const ProductSlots& slots, const Worth& worth) const;
  void begin_round();
  double products_going_round() const;

  std::size_t attributes_;
  std::vector<std::uint8_t> goes_round_;  // by place
  std::size_t round_ = 0;
  std::uint64_t next_ = 0;  // the attribute that comes next
  double seen_ = 0;         // products of what goes round, in this round
  double tried_ = 0;
};

}  // namespace glimpse
