#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "base/large_array.h"
#include "learn/apple/expansion.h"
#include "learn/apple/normalised_steps.h"
#include "learn/core/monomials.h"

namespace glimpse {

/// The features of ABHLT14, Algorithm 1: S, all attributes and their products with the parents, P. A parent
/// is a feature, an attribute or a product, so that they make a tree. An example's features are found by
/// walking down from the root through the parents that are not 0 in it: of s attributes other than 0, and p
/// such parents, s·(1 + p) ways. Each feature is visited once.
///
/// A product beyond what a double holds well, in size from 1e-290 to 1e290, counts as 0. Thread-safety: none.
class ParentTree final : public Expansion {
 public:
  /// At most `most_products` features beside the attributes.
  ParentTree(std::size_t attributes, std::size_t most_products);

  void expand(std::span<const Entry> entries, std::vector<FeatureValue>& features) override;
  void expand_known(std::span<const Entry> entries, std::vector<FeatureValue>& features) const override;
  std::size_t slots() const override { return monomials_.slots(); }

  const Monomials& monomials() const { return monomials_; }
  /// In the order in which they became such.
  std::span<const std::uint32_t> parents() const { return parents_; }
  bool is_parent(std::uint32_t slot) const {
    if (slot < monomials_.attributes()) return (own_[slot / kBits] >> slot % kBits & 1) != 0;
    const std::size_t at = slot - monomials_.attributes();
    return at < products_.size() && products_[at] != 0;
  }
  /// Whether it may become one: it is none, and its products have no more than Monomials::kMostFactors.
  bool may_be_parent(std::uint32_t slot) const {
    return !is_parent(slot) && monomials_.factors(slot).size() < Monomials::kMostFactors;
  }

  /// The slot's products with attributes are features from now on. is_idempotent(i): x_i² is no more than x_i
  /// times a number, so that the product with an attribute that it holds is no new feature. O(degree).
  void make_parent(std::uint32_t slot, const std::function<bool(Attribute)>& is_idempotent);

  /// Of the root alone, as at the beginning.
  void clear();
  std::size_t memory_bytes() const;

  /// "monomials.*" and "expansion.parents", "expansion.closed".
  void save(State& state) const;
  Status restore(const State& state);

 private:
  static constexpr std::size_t kBits = std::numeric_limits<std::uint64_t>::digits;

  template <class Find>
  void walk(std::span<const Entry> entries, std::vector<FeatureValue>& features, const Find& find) const;
  void add_parent(std::uint32_t slot, std::uint32_t closed);

  Monomials monomials_;
  std::vector<std::uint32_t> parents_;
  std::vector<std::uint32_t> closed_;  // of each parent: bit k, the way by its k-th factor is closed
  LargeArray<std::uint64_t> own_;      // a bit an attribute: it is a parent
  std::vector<std::uint8_t> products_;
  mutable std::vector<FeatureValue> active_;  // the parents that are not 0 in the present example
};

/// The features that become parents at the end of an epoch: the `count` with the largest |w_m|·max|m| of
/// those that are none yet (ABHLT14, Algorithm 1, with the scale of m as its authors' program has it). The
/// slot breaks ties. With `fallback` the last of them is one of the lowest degree that is left (§2.4). Fewer
/// where not so many have a weight. O(slots).
std::vector<std::uint32_t> choose_parents(const ParentTree& tree, const NormalisedSteps& steps,
                                          std::size_t count, bool fallback);

/// What the feature of a slot is ordered by in place of its weight; not above 0: it becomes no parent.
using ParentOrder = std::function<double(std::uint32_t slot)>;
std::vector<std::uint32_t> choose_parents(const ParentTree& tree, const NormalisedSteps& steps,
                                          const ParentOrder& order, std::size_t count, bool fallback);

}  // namespace glimpse
