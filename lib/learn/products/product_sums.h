#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "learn/core/plan.h"
#include "learn/products/product_features.h"
#include "stats/pair_moments.h"

namespace glimpse {

/// Second moments of the features of attributes and products (ProductFeatures). Products of values far from 0
/// are collinear with the values; products of what is about a centre are not. A centre that moves would need
/// 16 sums a pair. So an attribute's centre is frozen once it was seen kLooksBeforeCentre times, and its
/// products begin. Should its mean go away from there, they begin again about another centre.
///
/// Memory: PairMoments::memory_bytes() of the features. Thread-safety: none.
class ProductSums {
 public:
  static constexpr std::uint8_t kLooksBeforeCentre = 16;
  /// Of an example with more members, so many give products: the first that were drawn, then any. Of the
  /// others kMostOthers are features as well, of degree 1, likewise. 16 make 152
  /// features of degree 1 and 2, and 11,628 pairs; 8 make 164 of degree 1 to 3, and 13,530 pairs.
  static constexpr std::size_t most_factors(std::size_t degree) { return degree < 3 ? 16 : 8; }
  static constexpr std::size_t kMostOthers = 16;

  explicit ProductSums(const ProductSlots& slots);
  /// Centres are known beforehand; `from` says what each slot goes on with of the sums before
  /// (PairMoments reselect()).
  ProductSums(const ProductSlots& slots, std::vector<double> centres, const PairMoments& before,
              std::span<const std::size_t> from);

  const ProductFeatures& features() const { return features_; }
  /// Of the features.
  const PairMoments& moments() const { return moments_; }
  const ProductSlots& product_slots() const { return features_.product_slots(); }
  bool has_centre(std::size_t place) const { return !std::isnan(frozen_[place]); }
  /// Of each member, in the learner's units; 0 where there is none yet.
  const std::vector<double>& centres() const { return centres_; }

  /// Of the example that was added last: the members that gave products.
  std::span<const ProductFeatures::Member> members_seen() const { return members_; }

  /// Before an example of these attributes is added: centres that are due, by the sums of `attributes` so
  /// far. With `look_for_stale`, also of attributes whose mean is two deviations from their centre. True:
  /// some centre is another one. O(K).
  bool set_centres(const PairMoments& attributes, const Plan& plan, std::span<const double> values,
                   bool look_for_stale);
  /// One example: values[a] is of plan.attributes[a], NaN: missing. O(k²ᵈ), k the smaller of
  /// most_factors(degree) and the attributes, d the degree. `example`: its number, for choices among its
  /// attributes.
  void add(const Plan& plan, std::span<const double> values, double label, double importance,
           std::uint64_t example);
  /// The features of this attribute are as if never seen, and it has no centre.
  void forget_attribute(Attribute attribute);
  /// Another attribute is the member in this place; its products begin. `attributes`: their sums so far.
  void replace(std::size_t place, Attribute attribute, const PairMoments& attributes);
  void forget(double factor) { moments_.forget(factor); }
  void decay(double kept) { moments_.decay(kept); }
  /// As at the beginning.
  void clear();

  std::size_t memory_bytes() const;

  /// "products.centres", "products.looks", "products.members" where not all attributes are, and
  /// "products.pairs." before what PairMoments has.
  void save(State& state) const;
  /// Errors: kMismatch where the state is of more or fewer members; kCorrupt.
  Status restore(const State& state);

 private:
  void choose(const Plan& plan, std::span<const double> values, std::uint64_t example);
  void find_members(std::span<const Attribute> attributes);
  void set_centre(std::size_t place, double centre);
  void forget_products(std::size_t place);

  ProductFeatures features_;
  std::vector<double> centres_;      // by place
  std::vector<std::uint8_t> looks_;  // of each attribute, up to kLooksBeforeCentre
  std::vector<double> frozen_;       // by place, the centre; NaN: none
  PairMoments moments_;
  // Of the present example:
  std::vector<std::uint32_t> positions_;
  std::vector<std::uint8_t> is_first_;  // by position
  std::vector<std::uint32_t> others_;   // positions
  std::vector<ProductFeatures::Member> members_;
  std::vector<Attribute> attributes_;
  std::vector<double> values_;
  std::vector<Attribute> slots_;
  std::vector<double> slot_values_;
};

}  // namespace glimpse
