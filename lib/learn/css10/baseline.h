#pragma once

#include <vector>

#include "learn/core/learner.h"
#include "learn/core/plan.h"
#include "learn/evaluation/past_models.h"
#include "learn/linalg/packed_symmetric.h"

namespace glimpse {

/// The Baseline of CSS10 (Algorithm 1): estimates E[xxᵀ] and E[2yx] from ⌊K/2⌋ pairs (i, j) of attributes an
/// example, i and j uniform and independent, and minimises the estimated loss over an L1 ball:
///
///     Ā += (d²/2p) Σ x_i x_j (e_i e_jᵀ + e_j e_iᵀ),   v̄ += (2y·d/2p) Σ (x_i e_i + x_j e_j),   p = ⌊K/2⌋,
///     w = argmin over ‖w‖₁ ≤ B of wᵀĀw − wᵀv̄   (the paper has + wᵀv̄, against its own expansion of the
///     loss),
///
/// with B = --radius, which it needs. Ā is indefinite, so what is found is a stationary point; see
/// minimise_on_l1_ball() for what that guarantees. There is no step size: --step is not used. Importance
/// multiplies the example's part of both sums. An odd K leaves one attribute unseen. With bias, one more
/// coordinate that is always 1, a part of the ball like any other; its row of Ā is the estimate of x.
///
/// Where AER adapts to the weights, this does not, and the paper shows it: it is here to be compared with.
///
/// Learning costs O(K log K) an example. Solving happens when model() or predict() is called and the sums
/// have changed since: some tens of products of d² multiply-adds, at most 2,000. It starts afresh each time,
/// so that the model is a function of the sums alone. Memory: 4(d + 1)(d + 2) bytes, at most 1 GiB, so d is
/// at most 16,383, or 16,382 with bias (validate() sees to it).
///
/// The progressive loss is the loss of the last solution before an example (PastModels), and of 0 before the
/// first. Solutions are made at powers of two, and of four below d²/64 examples, as they are found on the
/// thread that learns. All draws of an example, being independent, judge it. 32 bytes an attribute.
class Baseline final : public Learner {
 public:
  /// `options` that validate() accepts.
  explicit Baseline(const LearnerOptions& options);

  void begin_plan(Random& random, Plan& plan) override;
  std::optional<std::uint64_t> plan_version() const override { return 0; }  // always uniform
  double predict(std::span<const Entry> entries) const override;
  void model(Model& model) const override;
  SamplingRow sampling_row(Attribute attribute) const override;
  LearnerReport describe() const override;

 protected:
  Outcome step(const Plan& plan, std::span<const double> values, double label, double importance) override;
  void after_example() override;
  void forget_everything() override;
  // Its sums are of all attributes together.
  void forget_attribute(Attribute) override { forget_everything(); }
  bool expect_label(double mean) override;
  /// Its sums add up: exact up to rounding.
  Status merge_state(const Learner& other, const MergedSlots& slots) override;
  void save_state(State& state) const override;
  Status restore_state(const State& state) override;

 private:
  const std::vector<double>& solution() const;
  void write_model(Model& model) const;

  const std::size_t dimension_;
  const std::size_t coordinates_;  // d, and the bias where there is one
  const std::uint32_t pairs_;      // p

  PackedSymmetric products_;    // Σ over examples of A
  std::vector<double> labels_;  // Σ over examples of 2yv
  double origin_ = 0;           // what y is counted from, where labels are far from 0
  SecondMoments moments_;
  PastModels past_models_;

  // The solution for the present sums, or empty. The first call that needs it solves; the next example clears
  // it.
  mutable std::vector<double> solution_;

  PlanBuilder builder_;
};

}  // namespace glimpse
