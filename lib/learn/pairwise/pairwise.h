#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "learn/core/learner.h"
#include "learn/core/solving.h"
#include "learn/draws/available_draws.h"
#include "learn/draws/priced_sets.h"
#include "learn/evaluation/model_guard.h"
#include "learn/evaluation/past_models.h"
#include "learn/inference/conditioning.h"
#include "learn/pairwise/pairwise_rules.h"
#include "learn/pairwise/pairwise_solver.h"
#include "sampling/attribute_set.h"
#include "sampling/level_table.h"
#include "stats/pair_moments.h"
#include "stats/pair_snapshot.h"

namespace glimpse {

/// The pairwise learner: an example of which K attributes are seen gives K(K − 1)/2 products. Keeps the
/// moments of all pairs, and solves for a model when one is wanted (PairwiseSolver). Nothing to tune: neither
/// --step nor --horizon nor phases are used; --radius is a choice, not a need.
///
/// Plans are sets of K distinct attributes, drawn one after another from q. q prefers what spreads (in units
/// of the largest value seen) and what seems to explain the label: look_weights(). It is planned again, from
/// the sums so far, when the example count has grown by a third to a half. The set never depends on the
/// example nor on a solution, so plain ratios of sums need no importance weights, and an answer can be late
/// without harm. An example with missing values is learned from by the others.
///
/// The progressive loss is that of the last solution before an example (PastModels). These are rough ones
/// (PairwiseSolver::kRoughSteps) at powers of two, solved on the learner's thread. Below d²/64 examples they
/// come at powers of four, as the examples would take less time than the solutions. Above kLargestJudge
/// attributes, where solutions come from elsewhere, it is that of the adopted ones, each made of at least
/// twice the examples of the one before: which these are depends on when they come. With --drift auto it is
/// always that of the rough ones, since what is noticed feeds back into learning. Examples with missing
/// values are judged with the rest, as PastModels says. A plan holds its draws, in order, as inner_product.
/// Where the examples say that the newest model is worse than the mean of the labels, an earlier one or the
/// mean answers, and the progressive loss is that of what answers (ModelGuard).
///
/// Under a limit of cost sets are drawn by PricedSets. Where a plan could not hold some attributes, because
/// of their cost or because they were not available, the progressive loss is that of predicting with these at
/// their means. Where fewer than two draws are free of the limit's influence such an example is not judged.
///
/// Learning costs O(K²) an example. As Solving says, solutions are had from a copy on any thread, or, where
/// none was adopted, on the thread that asks. Memory: PairMoments::memory_bytes(), 5 bytes an attribute for
/// q, PairBatch::bytes_of() where K is worth it, and, from the first solution on, 8·d² bytes for the copy and
/// the solver.
class Pairwise final : public Learner, public Solving, public Conditioning {
 public:
  /// `options` that validate() accepts.
  explicit Pairwise(const LearnerOptions& options);

  void begin_plan(Random& random, Plan& plan) override;
  std::optional<std::uint64_t> plan_version() const override { return plan_version_; }
  Status plan_among(Random& random, std::span<const Attribute> available, Plan& plan) override;
  double predict(std::span<const Entry> entries) const override;
  void model(Model& model) const override;
  std::shared_ptr<const Model> model_of_predictions() const override;
  std::shared_ptr<const Model> shared_model() const override;
  SamplingRow sampling_row(Attribute attribute) const override;
  double largest_value(Attribute attribute) const override {
    return outward(attribute, static_cast<double>(static_cast<float>(moments_.largest(attribute))));
  }
  double step_size() const override { return 0; }
  std::size_t memory_bytes() const override;
  bool learns_from_partial() const override { return true; }
  std::optional<ModelOrigin> model_origin() const override;
  GuardReport guard() const override { return outward(guard_.report()); }

  Solving* solving() override { return this; }
  void begin_capture() override;
  bool capture(std::size_t bytes) override;
  std::shared_ptr<const Solution> solve(const Cancelled& cancelled) override;
  void adopt(std::shared_ptr<const Solution> solution) override;

  const Conditioning* conditioning() const override { return this; }
  std::shared_ptr<const Solution> newest_solution() const override;
  void covariances(const TargetMoments& about, std::span<const Attribute> rows,
                   std::span<const Attribute> columns, std::span<double> out) const override;

  const PairMoments& moments() const { return moments_; }

 protected:
  Outcome step(const Plan& plan, std::span<const double> values, double label, double importance) override;
  double smallest_importance() const override { return kSmallestPairImportance; }
  void forget_everything() override;
  void forget_attribute(Attribute attribute) override;
  void judge_unseen(const Plan& plan, std::span<const double> values, double label) override;
  void learn_label(double label, double importance) override { moments_.add({}, {}, label, importance); }
  void after_example() override;
  void save_state(State& state) const override;
  void forget(const ChangeDetector::Rise& rise) override;
  Status restore_state(const State& state) override;

 private:
  struct Reference {
    PairSnapshot snapshot;
    PairwiseSolver solver;
  };

  // The attributes of drawn_ into the plan, and their positions into its draws.
  void place_draws(Plan& plan);
  void judge(const Plan& plan, std::span<const double> values, double label, bool watch);
  void add_judge(PairSnapshot& snapshot, PairwiseSolver& solver);
  void add_past_model(const Model& model, std::uint64_t examples);  // in the learner's units
  void drop_solution();  // the next one is made of what is there then
  bool judges_itself() const;
  std::optional<NormBall> ball() const;
  void begin_again_from_sums();
  void plan_sampling();
  Status restore_sampling(const State& state, std::span<const std::uint64_t> numbers);
  void start_capture() const;
  std::shared_ptr<const Solution> solve_captured(const Cancelled& cancelled) const;
  const Solution& solution(std::uint64_t oldest) const;
  const Solution& recent_solution() const;  // predict()'s

  PairMoments moments_;
  const double forgetting_;  // by which older examples are multiplied for each new one
  LevelTable q_;
  std::uint64_t next_plan_ = 1;     // the example count at which q is planned
  std::uint64_t plan_version_ = 0;  // grows when it is

  std::optional<PricedSets> priced_;  // in place of q_ under a limit of cost
  SequentialDraws available_;         // of the plan being drawn among some attributes

  AttributeSet drawn_;                   // of the plan being drawn
  std::vector<std::uint32_t> position_;  // of each attribute in the last plan that drew it

  PastModels past_models_;
  ModelGuard guard_;
  std::unique_ptr<Reference> reference_;  // solves for them, where a change of the stream must be noticed

  // What a solution is made from, and with: a capture's, then solve()'s. Mutable, as model() may solve with
  // them.
  mutable PairSnapshot snapshot_;
  mutable PairwiseSolver solver_;
  mutable ModelOrigin captured_;
  mutable ServedModel captured_choice_;
  mutable std::shared_ptr<const SolutionUnits> captured_units_;
  mutable std::uint64_t captured_steps_ = 0;
  mutable bool copy_is_stale_ = false;  // the stream has changed since it began
  mutable bool has_copy_ = false;       // their memory is there

  mutable std::shared_ptr<const Solution> solution_;  // the newest
  mutable std::uint64_t solved_at_ = 0;               // by how many steps, when this thread solved
  bool solved_elsewhere_ = false;                     // begin_capture() was called
  bool adopted_ = false;                              // adopt() was called
};

}  // namespace glimpse
