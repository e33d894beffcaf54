#pragma once

#include <vector>

#include "learn/core/learner.h"
#include "learn/core/plan.h"
#include "learn/iterates/shrunk_weights.h"
#include "sampling/distinct_sample.h"

namespace glimpse {

/// Attribute Efficient Regression (CSS10, Algorithm 2, with x_i, the attribute drawn, in the sum of ŷ): the
/// L1-projected Pegasos on (⟨w, x⟩ − y)² + (λ/2)‖w‖₂², in step t = 1, 2, …
///
///     v = (d/k_x) Σ_{j∈C} x_j e_j,                    C: k_x distinct attributes, every set equally likely
///     ŷ = (1/k_p) Σ_r sgn(w_{i_r})‖w‖₁ x_{i_r},       i_r ~ |w_i|/‖w‖₁, with replacement
///     w ← Π_B((1 − 1/t)w − (2/(λt))(ŷ − y)v),         ‖w‖₁ ≤ B = --radius, which it needs
///     w̄ = the average of w after each step, as the algorithm has it (its proof averages w before each step).
///
/// The shares k_x and k_p are those of --split; even gives the paper's K/2 and K/2. Importance multiplies
/// (ŷ − y)v; the factor 1 − 1/t stays.
///
/// The step is η_t = S/t with S = 2/λ: --step S, or --step theory, for |x_i| ≤ 1 and |y| ≤ 1 and with
/// --horizon m (Theorem 2): λ = ((B + 1)d/B₂)·√(ln m/(mK)). B₂ bounds ‖w*‖₂ of the competitor; as nothing
/// better is known it is B ≥ ‖w*‖₁ ≥ ‖w*‖₂. Neither is free of the units of x and y, so there is no auto
/// step.
///
/// With bias, one more coordinate that is always 1 and always revealed: a part of the ball like any other,
/// but never drawn and exact in ŷ.
///
/// A step costs O(K log d) in the mean over a stream, where the projection in the paper is O(d); a single one
/// may visit every weight that is not 0, see ShrunkWeights.
/// Memory: at most 46.9 bytes an attribute (22.9 weights, 24 moments, which serve only to report them and to
/// predict with missing values).
class Aer final : public Learner {
 public:
  /// `options` that validate() accepts.
  explicit Aer(const LearnerOptions& options);

  void begin_plan(Random& random, Plan& plan) override;
  void finish_plan(Random& random, Plan& plan) override;
  std::optional<std::uint64_t> plan_version() const override { return 0; }  // the subset is always uniform
  double predict(std::span<const Entry> entries) const override;
  void model(Model& model) const override;
  /// The probability is that of one draw, 1/d; a plan's k_x are distinct.
  SamplingRow sampling_row(Attribute attribute) const override;
  LearnerReport describe() const override;

  /// λ of Theorem 2. m ≥ 1; where ln m is 0 (m = 1) that of m = 2.
  static double theory_lambda(double dimension, double budget, double radius, double m);

 protected:
  Outcome step(const Plan& plan, std::span<const double> values, double label, double importance) override;
  void forget_everything() override;
  // Its sums are of all attributes together.
  void forget_attribute(Attribute) override { forget_everything(); }
  bool expect_label(double mean) override {
    if (options().bias) origin_ = mean;
    return options().bias;
  }
  void save_state(State& state) const override;
  Status restore_state(const State& state) override;

 private:
  const Plan& renewed(const Plan& plan);

  const std::size_t dimension_;
  const std::uint32_t data_draws_;   // k_x
  const std::uint32_t inner_draws_;  // k_p
  const double first_step_;          // S = 2/λ

  ShrunkWeights weights_;  // d coordinates, and the bias
  SecondMoments moments_;
  double eta_ = 0;
  double origin_ = 0;             // what labels are counted from, where they are far from 0
  std::uint32_t generation_ = 0;  // how often weights were forgotten: plans hold them
  Plan renewed_;

  DistinctSample subset_;
  std::vector<Attribute> chosen_;  // the subset of the plan that is finished
  PlanBuilder builder_;
  std::vector<ShrunkWeights::Change> changes_;  // of the present step
};

}  // namespace glimpse
