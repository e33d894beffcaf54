#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bigrams.h"
#include "learn/apple/expansion.h"
#include "learn/apple/normalised_steps.h"
#include "learn/apple/parent_tree.h"

namespace glimpse {

/// Which products of attributes a learner of ABHLT14 has, all over the same base learner.
enum class Expander {
  kLin,    ///< the attributes alone
  kQuad,   ///< all monomials up to degree 2
  kCubic,  ///< … 3
  kApple,  ///< products with parents of large weight (Algorithm 1)
  kSsm,    ///< parents by Ê[r²m²]/Ê[m²] of the residuals r in place of weights (§2.3)
};

struct PolynomialMethod {
  Expander expander = Expander::kLin;
  double exponent = 1;   ///< α of apple and ssm
  bool bigrams = false;  ///< products of neighbours are attributes as well
};

/// What a learner of polynomials is made for.
struct PolynomialOptions {
  PolynomialMethod method;
  std::vector<bool> idempotent;  ///< of every attribute: its values other than 0 are all the same
  std::uint64_t examples = 0;    ///< n; parents are made behind n/6 … 5n/6 of them
  double rate = NormalisedSteps::kStandardRate;  ///< η
  std::size_t most_products = std::size_t{1} << 24;
  std::size_t most_bigrams = std::size_t{1} << 22;
  std::shared_ptr<const Bigrams> bigrams = nullptr;  ///< known beforehand; none: they come with examples
};

/// Online least squares over an expansion: apple and its rivals with one base learner, as ABHLT14 compares
/// them. apple gives the same predictions as the library's learner `apple` (a test compares). Thread-safety:
/// none.
class PolynomialLearner {
 public:
  explicit PolynomialLearner(const PolynomialOptions& options);

  /// One example, whose attributes other than 0 are `entries`, ascending. Returns the prediction before it.
  double learn(std::span<const Entry> entries, double label);
  double predict(std::span<const Entry> entries) const;

  /// The mean number of features of the examples so far.
  double mean_features() const;
  std::size_t slots() const { return expansion_->slots(); }
  std::size_t parents() const { return tree_ != nullptr ? tree_->parents().size() : 0; }
  const PolynomialOptions& options() const { return options_; }

  /// For learners over shards (glimpsed/lab/shards.py).
  NormalisedSteps& steps() { return steps_; }
  const NormalisedSteps& steps() const { return steps_; }
  /// The attributes of a slot; null for methods without parents, whose slots are attributes.
  const ParentTree* tree() const { return tree_; }
  /// The slot of a product whose owner is a parent, made where it is not there; kNone where there is none.
  std::uint32_t slot_of(std::span<const Attribute> factors);
  /// The parents are these and no others from now on, each behind those it was made of; weights stay.
  void freeze_parents(const std::vector<std::vector<Attribute>>& parents);

 private:
  std::span<const Entry> extended(std::span<const Entry> entries, bool learns) const;
  void end_epoch();
  void make_parent(std::uint32_t slot);

  PolynomialOptions options_;
  mutable std::unique_ptr<Bigrams> bigrams_;  // null: none
  std::unique_ptr<Expansion> expansion_;
  ParentTree* tree_ = nullptr;  // the expansion, where it has parents
  NormalisedSteps steps_;
  bool frozen_ = false;
  std::uint64_t examples_ = 0;
  std::uint64_t entries_ = 0;
  std::uint64_t features_ = 0;
  mutable std::vector<Entry> entries_of_;
  mutable std::vector<FeatureValue> features_of_;
};

}  // namespace glimpse
