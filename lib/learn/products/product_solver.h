#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "learn/core/model.h"
#include "learn/core/product_slots.h"
#include "learn/core/solving.h"
#include "learn/core/target_moments.h"
#include "learn/options/prices.h"
#include "learn/solver/pairwise_solver.h"
#include "stats/pair_snapshot.h"

namespace glimpse {

/// Which products a model may have whose products are judged by plans that show all their attributes at once:
/// what these cost together, and how many they are, has a limit. Thread-safety: that of a value type.
struct JointLimit {
  std::shared_ptr<const Prices> prices;
  Money cost = 0;
  std::size_t attributes = 0;

  /// Of `products`, numbers from 0 on, those that are left where the ones with the largest |evidence| are
  /// taken first and each that would cost too much is passed over. Ascending. O(products·attributes).
  std::vector<std::size_t> within(const ProductSlots& slots, std::span<const std::size_t> products,
                                  std::span<const double> evidence) const;
};

/// A model of attributes and products. The linear model comes first. The products that say more of the labels
/// than it does (product_evidence.h) may enter: the model is solved for again of the attributes and these, in
/// units kStretches times as large (products of three: its square). The model of the least expected squared
/// error is the one, the linear one among them; those that are expected to err far less than nothing are
/// none. PRODUCTS.md.
///
/// Cost: the linear solution, a look at d·products pairs, and a solution for each stretch of d and the
/// products that tell of something. Deterministic. Thread-safety: none; the sums are only read.
class ProductSolver {
 public:
  using Cancelled = PairwiseSolver::Cancelled;

  /// λ weighs the square of this times as much on products.
  static constexpr double kStretches[] = {1, 2};
  /// Nothing enters where even the best product would say as much by chance in more than one of a thousand
  /// solutions.
  static constexpr double kGate = 0.001;
  /// Of the products that enter, so many may do so by chance.
  static constexpr double kFalseShare = 0.1;
  /// A model whose expected error is further below 0 than this share of the linear model's follows errors of
  /// the moments, and does not enter.
  static constexpr double kBelief = 0.1;

  /// What a solution is made from.
  struct Basis {
    const PairSnapshot& attributes;
    const PairSnapshot* features =
        nullptr;                      ///< of attributes and products; nullptr: the linear model is wanted
    const ProductSlots& slots;        ///< of these
    std::span<const double> centres;  ///< of products, by place
    /// Of the slots; nullptr: the user's. A product whose weight would not be a number in the user's units
    /// does not enter.
    const SolutionUnits* units = nullptr;
    double tried = 0;  ///< products so far, where they were not all there at once
    /// What the attributes of all products that enter may cost; nullptr: whatever.
    const JointLimit* limit = nullptr;
  };

  /// `model`: of all slots. It is of no use when it was cancelled.
  void solve(const Basis& basis, Model& model, const Cancelled& cancelled = {},
             std::size_t steps = PairwiseSolver::kSteps);

  /// After solve(): the linear model of the same sums, of all slots.
  const Model& linear() const { return linear_model_; }
  /// After solve(): how many products entered.
  std::size_t entered() const { return slots_.size() - attributes_; }

  /// After solve(), of the same basis: PairwiseSolver::describe() of its model, or of another one of the same
  /// slots and centres (`is_other`). Of the attributes alone where the model has no weight of a product; else
  /// of all slots, with zeros for products without a weight.
  void describe(const Basis& basis, const Model& model, bool is_other, TargetMoments& description);
  /// After solve() and before describe() of another model: PairwiseSolver::importances() of its model, by
  /// slots.
  Importances importances(const Basis& basis, const Model& model) const;
  /// The same of PairwiseSolver::weight_errors(). NaN: products without a weight.
  std::vector<double> weight_errors(const Basis& basis, const Cancelled& cancelled) const;

 private:
  void choose(const Basis& basis, std::span<const std::size_t> products);
  bool enter(const Basis& basis, Model& model, const Cancelled& cancelled, std::size_t steps);
  void solve_chosen(const Basis& basis, double stretch, Model& model, const Cancelled& cancelled,
                    std::size_t steps);
  Model compact(const Model& model) const;

  PairwiseSolver linear_;
  PairwiseSolver with_products_;
  Model linear_model_;
  PairSnapshot chosen_;               // of slots_, where products entered
  std::vector<std::uint32_t> slots_;  // attributes, then the products that entered
  std::size_t attributes_ = 0;
  std::vector<double> stretch_;
};

}  // namespace glimpse
