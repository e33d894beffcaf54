#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/large_array.h"
#include "learn/core/learner.h"
#include "learn/draws/moment_weights.h"
#include "learn/evaluation/past_models.h"
#include "learn/gradient/gradient_iterates.h"
#include "learn/gradient/gradient_planner.h"
#include "learn/gradient/phase_control.h"
#include "learn/iterates/step_size.h"
#include "learn/iterates/unit_trust.h"

namespace glimpse {

/// The engine of the papers' learners: online gradient descent on ½(⟨w, x⟩ − y)² with an unbiased gradient
/// g̃ = φ̃·x̃ from two independent sets of draws,
///
///     x̃ = (1/k_x) Σ_r x[i_r]/q[i_r]·e_{i_r},   i_r ~ q
///     φ̃ = (1/k_p) Σ_r w[j_r]x[j_r]/p[j_r] − y,  j_r ~ p
///
/// and the average w̄ of the iterates as its model. What a step does with g̃ is the Weights': with LazyWeights
/// it is GAERR (KS15, Algorithm 1: Euclidean steps, ‖w‖₂ ≤ B), with ExponentiatedWeights GAELR (KS15 §4:
/// exponentiated gradient, ‖w‖₁ ≤ B). The algorithms of either differ in q, in η from theory, and in phases;
/// each has its own file. A step costs O(K log d): weights, averages and projection are lazy, q is a
/// LevelTable and p a SumTree over the weights.
/// Memory: at most 47.4 bytes an attribute for ridge (16.1 weights, 24 moments, 5 q, 2.3 p) and 55.4 for
/// lasso (24 weights); 8 more with adagrad.
///
/// With bias, coordinate d of the weights is an attribute that is always 1 and always revealed; without,
/// there are d coordinates. With the auto step and bias, labels are centred with their running mean as well,
/// so that neither their unit nor their origin matters. A full-information variant draws nothing: it reveals
/// all attributes, O(d) a step.
///
/// Two departures from the papers lower the variance of g̃ at the same cost and budget; DRAWS.md has what they
/// gain. With pairs (Draws::kPairs) all K draws come from r = ½q + ½p and serve both parts, each pair of
/// distinct draws one estimate:
///
///     g̃ = 1/(K(K−1)) Σ_{a≠b} (w_a x_a/r_a + offset − y)·(x_b/r_b)·e_b
///
/// Draws a and b are independent, so every summand is unbiased, and so is g̃. The bias, which is not drawn,
/// moves by the mean over all K draws. The sum takes O(K): see collect_gradient().
///
/// With control variates the model is centred: f(x) = ȳ + b + ⟨w, x − μ⟩, and x − μ is drawn in place of x in
/// both parts, so that what is known of x, its mean, adds no noise; q and p follow the moments of x − μ. No
/// ⟨w, μ⟩·μ has to be added back, which would touch all d coordinates: the intercept b takes up what μ
/// explains. μ_i is the running mean of the attribute over its reveals before this example, kept in the plan;
/// nothing of the example enters it, so g̃ is unbiased for the gradient in (w, b) of ½(f(x) − y)² with that μ,
/// which is the squared loss of the same linear functions in other coordinates. When a reveal moves μ_i, w
/// and b stay: the function follows the means, as it follows ȳ, and the optimum in these coordinates stays
/// where it is as they settle. Every iterate is a linear function with the intercept ȳ + b − ⟨w, μ⟩, and the
/// averaged model is the average of these functions; that needs ⟨w, μ⟩ at every step, which MeanProduct keeps
/// in O(1) a change. (With lasso and the auto step, past weights shrink when a unit grows, and their share of
/// ⟨w, μ⟩ with them.) With either departure the auto step is cautious about units: see UnitTrust.
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
  int phase() const override { return phase_.phase(); }
  std::string explain_phase() const override { return phase_.explain(); }
  double step_size() const override { return eta_; }
  std::size_t memory_bytes() const override;

 protected:
  Outcome step(const Plan& plan, std::span<const double> values, double label, double importance) override;
  void after_example() override;
  void save_state(State& state) const override;
  void forget(const ChangeDetector::Rise&) override { forget_everything(); }
  void forget_everything() override;
  void forget_attribute(Attribute attribute) override;
  Status restore_state(const State& state) override;

 private:
  struct Change {
    Attribute attribute;
    double gradient;  // g̃_i
    double trust;     // what the step is multiplied by
    double amount;    // η_i·g̃_i
  };

  MomentWeights moment_weights() const { return iterates_.moment_weights(epsilon()); }

  // What a plan holds beside its draws.
  void complete(Plan& plan) const;

  void trust_units(const Plan& plan);
  double residual(const Plan& plan, const Revealed& revealed, double label);
  void collect_gradient(const Plan& plan, const Revealed& revealed, double phi, double rest,
                        double importance);
  StepFacts step_facts(const Plan& plan, const Revealed& revealed, double importance) const;
  void choose_step(const Plan& plan, const Revealed& revealed, double importance);
  // Takes the step of changes_. Whether every unscaled weight has changed with it.
  bool change_weights();
  // Σ g̃_i² of coordinate i with `gradient` as its present g̃_i.
  double squares_with(std::size_t i, double gradient) const { return squares_[i] + gradient * gradient; }
  // η of a change's coordinate; NaN when its gradient is too large to be squared.
  double rate(const Change& change) const;

  void begin();
  void forget_weights();
  void begin_phase2();
  void grow_old();
  void plan_sampling();
  double epsilon() const;
  // All weights have changed: adds up anew what is kept of them. O(d).
  void add_up_weights();

  const bool pairs_;     // all draws serve both parts
  const bool centred_;   // control variates
  const bool cautious_;  // units are not trusted at once
  const PlanKind kind_;
  const DrawCounts counts_;
  const Variant variant_;

  const double memory_;  // over how many examples the auto step's means reach back
  GradientIterates<Weights> iterates_;
  const std::unique_ptr<GradientPlanner<Weights>> planner_;
  PhaseControl phase_;
  typename Weights::Step auto_step_;
  UnitTrust unit_trust_;
  LargeArray<double> squares_;  // Σ g̃_i², for adagrad
  PastModels past_models_;      // with --drift auto
  double theory_eta_ = 0;
  double eta_ = 0;

  std::uint32_t generation_ = 0;  // grows when weights, or means, were found to be poisoned: plans hold them
  std::vector<std::uint64_t> draw_order_;  // of the data-point part: position << 32 | draw
  std::vector<Change> changes_;            // of the present step; the bias is last
  std::vector<double> trust_;              // in the units of the plan's attributes; 1 where all are trusted
  double residual_scale_ = 0;  // root mean square of the residuals that the present step multiplies x̃ by
};

}  // namespace glimpse
