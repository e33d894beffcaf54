#pragma once

#include <vector>

#include "learn/learner.h"
#include "learn/pairwise_solver.h"
#include "sampling/attribute_set.h"
#include "sampling/level_table.h"
#include "stats/pair_moments.h"

namespace glimpse {

/// The pairwise learner: an example of which K attributes are seen gives K(K − 1)/2 products. Keeps the
/// moments of all pairs, and solves for a model when one is wanted (PairwiseSolver). Nothing to tune: neither
/// --step nor --horizon nor phases are used; --radius is a choice, not a need.
///
/// Plans are sets of K distinct attributes, drawn one after another with q_i ∝ the running standard deviation
/// in units of the largest value seen, mixed with 10 % uniform; q is planned anew when the example count has
/// grown by a third to a half. The set never depends on the example nor on the weights, so plain ratios of
/// sums need no importance weights, and an answer can be late without harm. An example with missing values is
/// learned from by the others.
///
/// Learning costs O(K²) an example. Solving happens in model(), and in predict() when the last solution is
/// older than 2 % of the examples. Memory: PairMoments::memory_bytes(), 5 bytes an attribute for q, and
/// 4·d² bytes once solved.
class Pairwise final : public Learner {
 public:
  /// `options` that validate() accepts.
  explicit Pairwise(const LearnerOptions& options);

  void plan(Random& random, Plan& plan) override;
  double predict(std::span<const Entry> entries) const override;
  void model(Model& model) const override;
  SamplingRow sampling_row(Attribute attribute) const override;
  double step_size() const override { return 0; }
  std::size_t memory_bytes() const override;
  bool learns_from_partial() const override { return true; }

  const PairMoments& moments() const { return moments_; }

 protected:
  Outcome step(const Plan& plan, std::span<const double> values, double label, double importance) override;
  void after_example() override;
  void save_state(State& state) const override;
  Status restore_state(const State& state) override;

 private:
  void plan_sampling();
  const Model& solution(std::uint64_t oldest) const;

  PairMoments moments_;
  LevelTable q_;
  std::uint64_t next_plan_ = 1;  // the example count at which q is planned

  AttributeSet drawn_;  // of the plan being drawn

  // The last solution and after how many examples it was made: known to whoever asks.
  mutable PairwiseSolver solver_;
  mutable Model solution_;
  mutable std::uint64_t solved_at_ = 0;
  mutable bool solved_ = false;
};

}  // namespace glimpse
