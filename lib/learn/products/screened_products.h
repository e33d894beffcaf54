#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "learn/inference/conditioning.h"
#include "learn/pairwise/screened_pairwise.h"
#include "learn/products/product_screen.h"
#include "learn/products/product_solver.h"
#include "learn/products/product_sums.h"

namespace glimpse {

/// The screened pairwise learner with --products 2 or 3. Some of the active attributes, the members, have
/// products; ProductSums keeps their pairs with each other and with all active attributes, by place in
/// active(). ProductSolver finds the model from these as for ProductPairwise. While nothing matters or
/// promises, plans and model are ScreenedPairwise's.
///
/// Reviews choose the members. Attributes are members whose products the newest judge has; then those that
/// matter alone, on a third of the places; then those that are expected to explain something in a product
/// (ProductScreen), some of which are active only for that; then other active attributes. What promised and
/// holds nothing of it in sums of its own has to show it again. The judge is a function of the examples
/// alone, and so are the members. SCREENED.md.
///
/// Models have weights of the attributes and, where products entered, of the products of the members of
/// then: ProductSlots differ from model to model. Neither categories nor a ball.
///
/// Memory beside ScreenedPairwise's: 16·f² bytes for the f features of active attributes and products, 24 an
/// attribute, 40 more for each slot of a solution and of each judge, and ProductScreen's.
///
/// What is told of a part of an example (Conditioning) is by the pairs of active attributes and products.
/// Attributes that are not active have no weight, and say nothing of the others.
class ScreenedProducts final : public ScreenedPairwise, public Conditioning {
 public:
  /// `options` that validate() accepts, with products.
  explicit ScreenedProducts(const LearnerOptions& options);

  bool learns_categories() const override { return false; }
  /// Of a product: of (x_i − c_i)(x_j − c_j), of the model that was solved for last.
  Moment feature_moment(std::size_t slot) const override;
  LearnerReport describe() const override;
  double predict_with(const Model& model, std::span<const Entry> entries) const override;
  double predict_as_judged(std::span<const Entry> entries) const override;
  bool capture(std::size_t bytes) override;

  const Conditioning* conditioning() const override { return this; }
  std::shared_ptr<const Solution> newest_solution() const override { return recent_solution(); }
  void covariances(const TargetMoments& about, std::span<const Attribute> rows,
                   std::span<const Attribute> columns, std::span<double> out) const override;

  /// The attributes that have products, ascending.
  std::span<const Attribute> members() const { return members_; }

 protected:
  Outcome step(const Plan& plan, std::span<const double> values, double label, double importance) override;
  void after_example() override;
  void forget_everything() override;
  void forget_attribute(Attribute attribute) override;
  void forget(const ChangeDetector::Rise& rise) override;
  std::shared_ptr<const Solution> solve_now() const override;
  void start_capture() const override;
  std::shared_ptr<const Solution> solve_copy(Copy& copy, const Cancelled& cancelled) const override;
  void complete(Copy& copy, Solution& solution) const override;
  JudgeForm judge_form() const override {
    return {.ball = {}, .steps = PairwiseSolver::kSteps, .describes_active = true};
  }
  std::unique_ptr<JudgeBasis> judge_basis() const override;
  std::size_t sums_memory_bytes() const override;
  std::size_t model_slots() const override;
  Status merge_state(const Learner& other, const MergedSlots& slots) override;
  void save_state(State& state) const override;
  Status restore_state(const State& state) override;

  std::vector<Attribute> choose_members() override;
  void follow_active() override;
  double promise_in_products(Attribute attribute) const override;
  void prefer(std::span<float> worth) const override;

 private:
  // Members to be, in the order in which they were chosen.
  struct Choice {
    std::vector<Attribute> members;
    std::vector<bool> is_member;  // by attribute
    std::size_t places_of_trial = 0;
  };
  bool take(Attribute attribute, Choice& choice) const;
  void take_those_of_products(Choice& choice) const;
  void take_those_that_matter(Choice& choice);
  void take_promising(Choice& choice) const;
  void take_others(Choice& choice) const;
  double worth_alone(Attribute attribute) const;
  // What an attribute is expected to explain in a product, and how clear that is.
  struct Promise {
    float clear = 0;  // n·E[ρ²]
    float explained = 0;
    double above(double least) const {
      return static_cast<double>(clear) > least ? static_cast<double>(explained) : 0;
    }
  };
  Promise promise_of(Attribute attribute) const;
  void read_promises();
  std::size_t places_of_trial() const;
  double centre_for(Attribute attribute) const;
  // What became of a promise.
  struct Trial {
    bool is_over = false;  // there were looks enough
    bool holds = false;
  };
  void forget_broken_promises(const Choice& choice);
  Trial trial_with_partners(std::uint32_t place, std::span<const double> deviates) const;
  Trial trial_with_members(std::uint32_t place, std::span<const double> deviates) const;
  void prefer_products(std::span<float> worth, double total) const;
  void prefer_tried(std::span<float> worth, double total) const;

  ProductSlots slots_of_members(std::span<const Attribute> members) const;
  std::vector<std::size_t> slots_before(const ProductSlots& slots, std::span<const double> centres) const;
  // The slot in sums_ of a product of these places of another model's; kNone: it is not known now.
  std::uint32_t slot_now(const ProductSlots& slots, std::uint32_t i, std::uint32_t j, std::uint32_t k) const;
  double rest_of_label(const Plan& plan, std::span<const double> values, double label) const;
  void add_products(const Plan& plan, std::span<const double> values, double label, double importance);
  std::shared_ptr<const SolutionUnits> placed_units() const;
  void start_product_copy() const;
  ProductSolver::Basis copied_basis(const Copy& copy) const;
  // Where a slot of a solution is in the sums of now; kInactive: nowhere.
  std::uint32_t place_now(const ProductSlots& slots, std::uint32_t slot) const;
  void count_entered();
  void read_values(const ProductSlots& slots, std::span<const Entry> entries) const;
  Status restore_members(const State& state);

  const std::size_t most_members_;
  std::vector<Attribute> members_;   // ascending
  std::vector<Attribute> chosen_;    // the members of the review that is under way
  std::vector<Promise> promises_;    // by attribute, of that review
  std::vector<Attribute> placed_;    // the active attributes that sums_ is of
  std::optional<ProductSums> sums_;  // none without members
  ProductScreen product_screen_;
  double tried_ = 0;         // products so far
  std::size_t entered_ = 0;  // products of the newest judge

  // Of the present example, the active attributes by place.
  Plan placed_plan_;
  std::vector<double> placed_values_;

  // A capture's, then solve()'s, as copy_.
  mutable PairSnapshot product_snapshot_;
  mutable bool copies_products_ = false;  // there are some, and they were not withheld when the copy began
  mutable std::vector<double> copied_means_;  // of all attributes
  mutable std::vector<double> copied_variances_;
  mutable std::vector<double> copied_centres_;
  mutable ProductSlots copied_slots_;
  mutable double copied_tried_ = 0;
  mutable std::shared_ptr<const SolutionUnits> copied_units_;
  mutable ProductSolver product_solver_;
  mutable std::vector<double> values_;  // of a question, by place of a model's members
};

}  // namespace glimpse
