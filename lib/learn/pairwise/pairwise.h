#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "learn/draws/available_draws.h"
#include "learn/draws/priced_sets.h"
#include "learn/inference/conditioning.h"
#include "learn/pairwise/solving_learner.h"
#include "learn/solver/pairwise_solver.h"
#include "sampling/attribute_set.h"
#include "sampling/level_table.h"
#include "stats/pair_snapshot.h"

namespace glimpse {

/// The pairwise learner: an example of which K attributes are seen gives K(K − 1)/2 products. Keeps the
/// moments of all pairs, and solves for a model when one is wanted (PairwiseSolver). Nothing to tune: neither
/// --step nor --horizon nor phases are used; --radius is a choice, not a need.
///
/// Plans are sets of K distinct attributes, drawn one after another from q, which prefers what spreads (in
/// units of the largest value seen) and what seems to explain the label: look_weights(). q is planned again,
/// from the sums so far, when the example count has grown by a third to a half. The set never depends on the
/// example nor on a solution, so plain ratios of sums need no importance weights, and an answer can be late
/// without harm. An example with missing values is learned from by the others. Once there were thousands of
/// examples several have the same plan (PlanBlocks).
///
/// The judges of the progressive loss (SolvingLearner) are rough solutions (PairwiseSolver::kRoughSteps).
/// Examples with missing values are judged with the rest, as PastModels says. A plan holds its draws, in
/// order, as inner_product. Where the newest model is worse than the mean of the labels, an earlier one or
/// the mean answers, and the progressive loss is that of what answers (ModelGuard).
///
/// Under a limit of cost sets are drawn by PricedSets. Some attributes could not be in a plan, because money
/// did not suffice or they were not available. There the progressive loss is the loss of predictions
/// with these attributes at their means. Where fewer than two draws are free of the limit's influence, such
/// an example is not judged.
///
/// Attributes may hold categories, each of which has an indicator (FeatureMap). Sums and solutions are of
/// features then, in their slots (feature_sums.h), and plans, q and budgets are of attributes as ever. What
/// an example costs does not depend on how many categories there are: O((2K)²).
///
/// Learning costs O(K²) an example. As Solving says, solutions are had from a copy on any thread, or, where
/// none was adopted, on the thread that asks. Memory: PairMoments::memory_bytes(), 5 bytes an attribute for
/// q, PairBatch::bytes_of() where K is worth it, from the first judge or solution on 8·d² bytes for the copy
/// and the solver. Where solutions are made from captures these have as much again, and judges have theirs
/// while one is made, or, up to 1,024 attributes, always.
class Pairwise : public SolvingLearner, public Conditioning {
 public:
  /// `options` that validate() accepts.
  explicit Pairwise(const LearnerOptions& options);

  Status plan_among(Random& random, std::span<const Attribute> available, Plan& plan) override;
  SamplingRow sampling_row(Attribute attribute) const override;
  double largest_value(Attribute attribute) const override {
    return outward(attribute, static_cast<double>(static_cast<float>(moments_.largest(attribute))));
  }

  bool learns_categories() const override { return true; }
  bool learns_classes() const override { return options().products == 0; }

  bool capture(std::size_t bytes) override;
  std::shared_ptr<const Solution> solve(const Cancelled& cancelled) override;

  const Conditioning* conditioning() const override { return this; }
  std::shared_ptr<const Solution> newest_solution() const override { return recent_solution(); }
  void covariances(const TargetMoments& about, std::span<const Attribute> rows,
                   std::span<const Attribute> columns, std::span<double> out) const override;

 protected:
  Outcome step(const Plan& plan, std::span<const double> values, double label, double importance) override;
  void forget_everything() override;
  void forget_attribute(Attribute attribute) override;
  void after_example() override;
  std::shared_ptr<const Solution> solve_now() const override;
  void start_capture() const override;
  void spoil_capture() override { captured_.is_stale = true; }
  std::unique_ptr<JudgeBasis> judge_basis() const override;
  JudgeForm judge_form() const override;
  void draw_plan(Random& random, Plan& plan) override;
  std::uint64_t next_planning() const override { return next_plan_; }
  void best_changed() override;
  std::size_t sums_memory_bytes() const override;
  std::size_t judged() const override { return moments_.dimension(); }
  double mean_of(std::size_t slot) const override;
  Status merge_state(const Learner& other, const MergedSlots& slots) override;
  void after_merging() override;
  void save_state(State& state) const override;
  void forget(const ChangeDetector::Rise& rise) override;
  Status restore_state(const State& state) override;

  /// The solution of the copy that was made last; nullptr when it was cancelled.
  virtual std::shared_ptr<const Solution> solve_captured(const Cancelled& cancelled) const;
  /// Plans q from the sums of now.
  void plan_sampling();
  /// Changes the weights, of mean 1, by which attributes are to be looked at from now on.
  virtual void prefer(std::span<double> /*weights*/) const {}
  /// Under a limit of cost: PricedSets::is_blind().
  bool is_blind(std::size_t draws) const { return priced_ && priced_->is_blind(draws); }
  /// REQUIRES: is_blind() of something. PricedSets::show_together().
  void show_together(std::span<const Attribute> attributes);
  /// That of a learner that knows no example.
  std::shared_ptr<Solution> no_solution() const;
  /// Where there are several labels: the learner of one of them.
  const Pairwise& sibling(std::size_t label) const { return static_cast<const Pairwise&>(of_label(label)); }

  // What a solution is made from, and with: a capture's, then solve()'s. Mutable, as model() may solve with
  // them.
  mutable PairSnapshot snapshot_;
  mutable Capture captured_;
  mutable PairSnapshot::LabelSide side_;  // of another label than the first: its part of that one's copy

 private:
  void add_features(const Plan& plan, std::span<const double> values, double label, double importance);
  void make_room();
  void leave_out_others() const;
  struct OfClasses;
  OfClasses solve_classes_into(Solution& solution, const Cancelled& cancelled) const;
  void describe_solution(Solution& solution, OfClasses of_classes) const;
  void begin_copy() const;
  void fill_from_all(Random& random);
  void fill_from(Random& random, std::span<const Attribute> available);
  void note_chances();
  void draw_best(Random& random, std::size_t looks, std::span<const Attribute> best, Plan& plan);
  double chance(Attribute i) const { return priced_ ? priced_->probability(i) : q_.probability(i); }
  double look_chance(Attribute i) const { return best_.probability(i, chance(i), chance_of_best_); }
  std::shared_ptr<const Solution> solve_beside(const Pairwise& other, const Cancelled& cancelled) const;
  // The attributes of drawn_ into the plan, and their positions into its draws.
  void place_draws(Plan& plan);
  std::optional<NormBall> ball() const;
  void begin_again_from_sums();
  void note_sampling(std::span<const double> weights, bool by_label);
  SamplingSpread looks() const;
  Status restore_sampling(const State& state, std::span<const std::uint64_t> numbers);

  // Of the present example, where there are categories.
  std::vector<Attribute> slots_;
  std::vector<Attribute> indicators_;
  std::vector<double> slot_values_;

  LevelTable q_;
  std::uint64_t next_plan_ = 1;  // the example count at which q is planned

  double chance_of_best_ = 0;         // in a draw from q
  std::optional<PricedSets> priced_;  // in place of q_ under a limit of cost
  SequentialDraws available_;         // of the plan being drawn among some attributes

  AttributeSet drawn_;                   // of the plan being drawn
  std::vector<std::uint32_t> position_;  // of each attribute in the last plan that drew it

  mutable PairwiseSolver solver_;
};

}  // namespace glimpse
