#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "learn/pairwise/pairwise.h"
#include "learn/products/product_members.h"
#include "learn/products/product_solver.h"
#include "learn/products/product_sums.h"

namespace glimpse {

/// The pairwise learner with --products 2 or 3: a model of attributes and of products of two of them, or of
/// two and three, from K looks an example. Which attributes are looked at does not depend on the example, so
/// plain means over the examples in which all factors were seen are consistent, as for pairs of attributes.
/// Plans, sums of attributes, prices and phases are Pairwise's; products have sums of their own
/// (ProductSums), and earn their place in the model (ProductSolver). Before there are such sums, and while no
/// product earns it, the model is the linear one.
///
/// Under a limit of cost that leaves too few draws free, an eighth of the plans shows the attributes of all
/// products that judge at once (PricedSets::show_together()), and only products enter whose attributes can be
/// bought together. Under any limit products are withheld until they were judged.
///
/// Models have a weight of each slot of ProductFeatures. The progressive loss needs four draws an example,
/// six where products are of three, or all attributes (residuals.h). Neither categories nor a ball.
///
/// Learning costs O(K⁴) an example, or O(K⁶). Memory: Pairwise's, and 16·f² bytes for f features, 4·f² more
/// once a solution was made, and again while a model that judges is made.
class ProductPairwise final : public Pairwise {
 public:
  /// `options` that validate() accepts, with products.
  explicit ProductPairwise(const LearnerOptions& options);

  bool learns_categories() const override { return false; }
  /// Of a product: of (x_i − c_i)(x_j − c_j).
  Moment feature_moment(std::size_t slot) const override;
  LearnerReport describe() const override;
  double predict_with(const Model& model, std::span<const Entry> entries) const override;
  double predict_as_judged(std::span<const Entry> entries) const override;

  bool capture(std::size_t bytes) override;
  void covariances(const TargetMoments& about, std::span<const Attribute> rows,
                   std::span<const Attribute> columns, std::span<double> out) const override;

 protected:
  void prefer(std::span<double> weights) const override;
  Outcome step(const Plan& plan, std::span<const double> values, double label, double importance) override;
  void after_example() override;
  void forget_everything() override;
  void forget_attribute(Attribute attribute) override;
  void forget(const ChangeDetector::Rise& rise) override;
  std::shared_ptr<const Solution> solve_now() const override;
  void start_capture() const override;
  std::shared_ptr<const Solution> solve_captured(const Cancelled& cancelled) const override;
  std::unique_ptr<JudgeBasis> judge_basis() const override;
  std::size_t sums_memory_bytes() const override;
  std::shared_ptr<const SolutionUnits> solution_units() const override;
  std::size_t model_slots() const override { return sums_.features().slots(); }
  double mean_of(std::size_t slot) const override;
  Status merge_state(const Learner& other, const MergedSlots& slots) override;
  void save_state(State& state) const override;
  Status restore_state(const State& state) override;

 private:
  void count_entered();
  void show_products();
  // Under a limit of cost no looks are spent on products that are not known to be of use.
  bool is_withheld() const { return options().budget_cost && product_guard_.withholds(); }
  void begin_round();
  void prefer_products(std::span<double> weights) const;
  ProductMembers::Worth worth_of_members() const;
  // Of a slot of products: its factors have the same places now.
  bool is_current(const ProductSlots& slots, std::size_t slot) const;
  // A value of a product, in the user's units.
  double product_outward(const ProductSlots& slots, std::size_t slot, double x) const;

  std::optional<JointLimit> limit_;  // of products, where plans that show them whole are to be made
  ProductSums sums_;
  ProductMembers members_;
  bool is_round_over_ = false;                                 // since the last example
  std::size_t entered_ = 0;                                    // products of the newest judge
  bool planned_withheld_ = options().budget_cost.has_value();  // is_withheld() when q was planned last
  mutable PairSnapshot product_snapshot_;
  mutable bool copies_products_ = false;  // they were not withheld when the copy began
  mutable std::vector<double> copied_centres_;
  mutable ProductSlots copied_slots_;
  mutable double copied_tried_ = 0;
  mutable ProductSolver product_solver_;
  mutable std::vector<double> values_;  // of a question, by attribute
};

}  // namespace glimpse
