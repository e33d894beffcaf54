#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "learn/core/plan.h"
#include "learn/products/product_features.h"
#include "stats/pair_moments.h"

namespace glimpse {

/// Second moments of the features of attributes and products (ProductFeatures), of the examples since the
/// centres were frozen. Products of values far from 0 are collinear with the values; products of what is
/// about a centre are not. A centre that moves would need 16 sums a pair, so it stays.
///
/// Memory: PairMoments::memory_bytes() of the features, from open() on. Thread-safety: none.
class ProductSums {
 public:
  /// Of an example with more attributes, so many give products: the first that were drawn. They make 152
  /// features and 11,476 pairs.
  static constexpr std::size_t kMostFactors = 16;

  explicit ProductSums(std::size_t attributes) : features_(attributes) {}

  const ProductFeatures& features() const { return features_; }

  bool is_open() const { return !centres_.empty(); }
  /// Begins with these centres, in the learner's units.
  void open(std::vector<double> centres);
  /// Without sums and centres.
  void close();

  /// Of the features; of dimension 0 while not is_open().
  const PairMoments& moments() const { return moments_; }
  const std::vector<double>& centres() const { return centres_; }

  /// One example: values[a] is of plan.attributes[a], NaN: missing. O(k⁴), k the smaller of kMostFactors and
  /// the attributes.
  void add(const Plan& plan, std::span<const double> values, double label, double importance);
  /// The features of this attribute are as if never seen.
  void forget_attribute(Attribute attribute);
  void forget(double factor) { moments_.forget(factor); }
  void decay(double kept) { moments_.decay(kept); }

  std::size_t memory_bytes() const;

  /// "products.centres", and "products.pairs." before what PairMoments has.
  void save(State& state) const;
  /// Errors: kCorrupt.
  Status restore(const State& state);

 private:
  void choose(const Plan& plan, std::span<const double> values);

  const ProductFeatures features_;
  std::vector<double> centres_;
  PairMoments moments_;
  // Of the present example:
  std::vector<std::uint32_t> positions_;
  std::vector<Attribute> attributes_;
  std::vector<double> values_;
  std::vector<Attribute> slots_;
  std::vector<double> slot_values_;
};

}  // namespace glimpse
