#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "learn/core/learner.h"
#include "learn/evaluation/past_models.h"
#include "learn/gradient/gradient_estimate.h"
#include "learn/gradient/phase_control.h"
#include "learn/gradient/step_rule.h"
#include "learn/planners/gradient_iterates.h"
#include "learn/planners/gradient_planner.h"

namespace glimpse {

/// The engine of the papers' learners: online gradient descent on ½(f(x) − y)² with an unbiased estimate g̃ of
/// the gradient from a few attributes, and the average of the iterates as its model. It conducts:
///
///  - GradientPlanner: which attributes an example reveals; separate draws, pairs, within a limit, or all
///  - GradientIterates: the functions f, their units and their average; Centring takes the means off x
///  - GradientEstimate: g̃ from a plan's values
///  - StepRule: how far to go
///  - PhaseControl: when to leave uniform draws
///
/// What a step does with g̃ is the Weights': with LazyWeights it is GAERR (KS15, Algorithm 1: Euclidean steps,
/// ‖w‖₂ ≤ B), with ExponentiatedWeights GAELR (KS15 §4: exponentiated gradient, ‖w‖₁ ≤ B). The algorithms of
/// either differ in q, in η from theory, and in phases; each has its own file. A full-information variant
/// draws nothing: it reveals all attributes, O(d) a step; the others' step costs O(K log d). Memory: at
/// most 47.4 bytes an attribute for ridge (16.1 weights, 24 moments, 5 q, 2.3 p) and 55.4 for lasso (24
/// weights); 8 more with adagrad.
///
/// With bias, coordinate d of the weights is an attribute that is always 1 and always revealed; without,
/// there are d coordinates. With the auto step and bias, labels are centred with their running mean as well,
/// so that neither their unit nor their origin matters.
///
/// Pairs and control variates, two departures from the papers, lower the variance of g̃ at the same cost and
/// budget; DRAWS.md has what they gain. Thread-safety: Learner's.
template <class Weights>
class GradientLearner final : public Learner {
 public:
  /// How an algorithm differs from the others.
  struct Variant {
    PhaseControl::Rule rule;
    bool full_information;  ///< every attribute is seen: g̃ is the gradient
    /// η from theory for phase 1 and phase 2; see each algorithm's file. `moments`: what is known at the
    /// phase's start.
    double (*theory_phase1)(const LearnerOptions& options, double data_draws);
    double (*theory_phase2)(const LearnerOptions& options, double data_draws, const SecondMoments& moments,
                            std::uint64_t phase1_examples);
  };

  /// `known`: moments to begin with, or nullptr.
  GradientLearner(const LearnerOptions& options, const Variant& variant, const SecondMoments* known);

  void begin_plan(Random& random, Plan& plan) override { planner_->begin(random, plan); }
  void finish_plan(Random& random, Plan& plan) override;
  std::optional<std::uint64_t> plan_version() const override { return planner_->version(); }
  Status plan_among(Random& random, std::span<const Attribute> available, Plan& plan) override;
  double predict(std::span<const Entry> entries) const override;
  void model(Model& model) const override;
  SamplingRow sampling_row(Attribute attribute) const override;
  LearnerReport describe() const override;

 protected:
  Outcome step(const Plan& plan, std::span<const double> values, double label, double importance) override;
  void after_example() override;
  /// Parameter mixing (GradientIterates::mix()). Phase and step go on from the part that is in the later
  /// phase, or else from this one.
  Status merge_state(const Learner& other, const MergedSlots& slots) override;
  void after_merging() override;
  void save_state(State& state) const override;
  void forget(const ChangeDetector::Rise&) override { forget_everything(); }
  void forget_everything() override;
  bool expect_label(double mean) override;
  void forget_attribute(Attribute attribute) override;
  Status restore_state(const State& state) override;

 private:
  // What a plan holds beside its draws.
  void complete(Plan& plan) const {
    plan.generation = generation_;
    plan.offset = iterates_.offset();
    iterates_.add_centres(plan);
  }
  const Plan& renewed(const Plan& plan);
  void write_model(Model& model) const;
  void plan_phase();
  void begin_phase2();
  void plan_sampling();
  void measure_looks();
  std::string uniform_draws() const;
  double epsilon() const;
  void grow_old();
  void forget_weights();
  // All weights have changed: adds up again what is kept of them. O(d).
  void add_up_weights();

  const Variant variant_;
  const PlanKind kind_;
  GradientIterates<Weights> iterates_;
  const std::unique_ptr<GradientPlanner<Weights>> planner_;
  PhaseControl phase_;
  std::uint64_t phase_since_ = 0;  // counts().examples
  SamplingSpread looks_;           // q's
  GradientEstimate estimate_;
  Plan renewed_;  // of weights that were forgotten
  StepRule<Weights> step_;
  PastModels past_models_;        // with --drift auto
  std::uint32_t generation_ = 0;  // grows when weights, or means, were found to be poisoned: plans hold them
};

}  // namespace glimpse
