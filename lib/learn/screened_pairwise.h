#pragma once

#include <cstdint>
#include <vector>

#include "learn/attribute_screen.h"
#include "learn/available_draws.h"
#include "learn/learner.h"
#include "learn/pairwise_solver.h"
#include "sampling/level_table.h"
#include "stats/pair_moments.h"
#include "stats/pair_snapshot.h"

namespace glimpse {

/// The pairwise learner for more attributes than there is memory for pairs: only those that explain something
/// (the active ones, at most active_limit()) have their pairs kept and enter the model; all others are looked
/// at now and then to find out whether they do (AttributeScreen). Screening by marginal correlation is Fan &
/// Lv's (2008, "Sure independence screening"); looking more often at what is promising, after every round of
/// reveals anew, is that of distilled sensing (Haupt, Castro & Nowak 2011). Nothing to tune.
///
/// A plan is K distinct attributes: half of the draws fall on the active ones, ∝ their deviation, the others
/// on those that are not, ∝ the square of what each is expected to explain, and a tenth on all alike. Which
/// are active, and how attributes are drawn, is decided anew when the example count has grown by a third to a
/// half. An attribute becomes active when it is expected to explain clearly more than the noise of its weight
/// costs (n_i·E[ρ_i²] > 2), and stays until that is below ½. Its moments in the model are those of examples
/// after that: those that it was chosen by would make it look better than it is. Where all attributes fit,
/// all are active from the beginning, and this is the pairwise learner.
///
/// Plans never depend on the example, so plain ratios need no importance weights, and answers can be late.
/// An example with missing values is learned from by the others. How it was found: SCREENING.md.
///
/// Learning costs O(K²) an example, and O(d + a²) at the counts said. Solving happens in model(), and in
/// predict() when the last solution is older than 2 % of the examples or another set of attributes'. Memory:
/// 69 bytes an attribute, 16·a² for the pairs of a active ones and 4·a² once solved.
class ScreenedPairwise final : public Learner {
 public:
  /// `options` that validate() accepts.
  explicit ScreenedPairwise(const LearnerOptions& options);

  void plan(Random& random, Plan& plan) override;
  Status plan_among(Random& random, std::span<const Attribute> available, Plan& plan) override;
  double predict(std::span<const Entry> entries) const override;
  void model(Model& model) const override;
  SamplingRow sampling_row(Attribute attribute) const override;
  double step_size() const override { return 0; }
  std::size_t memory_bytes() const override;
  bool learns_from_partial() const override { return true; }

  /// The attributes whose pairs are kept, ascending.
  const std::vector<Attribute>& active() const { return active_; }
  /// Their moments, by place in active().
  const PairMoments& moments() const { return moments_; }

 protected:
  Outcome step(const Plan& plan, std::span<const double> values, double label, double importance) override;
  void after_example() override;
  void save_state(State& state) const override;
  Status restore_state(const State& state) override;

 private:
  static constexpr std::uint32_t kInactive = ~std::uint32_t{0};
  struct Candidate {
    double key;
    Attribute attribute;
  };

  void review();
  void choose_active(std::vector<Candidate>& candidates);
  void activate(std::vector<Attribute> active);
  void plan_sampling(std::span<const float> worth);
  void set_next_review();
  const Model& solution(std::uint64_t oldest) const;

  AttributeScreen screen_;
  std::vector<Attribute> active_;
  std::vector<std::uint32_t> slot_;  // of each attribute its place in active_, or kInactive
  PairMoments moments_;              // by slot; its label is that of all examples
  LevelTable q_;
  std::uint64_t next_review_ = 1;  // the example count at which all is decided anew

  std::vector<std::uint32_t> drawn_;  // for each attribute the plan that drew it last
  std::uint32_t plans_ = 0;

  SequentialDraws available_;  // of the plan being drawn among some attributes

  std::vector<Attribute> slots_;  // of the present example
  std::vector<double> slot_values_;

  // The last solution and after how many examples it was made: known to whoever asks.
  mutable PairSnapshot snapshot_;
  mutable PairwiseSolver solver_;
  mutable Model slot_model_;
  mutable Model solution_;
  mutable std::uint64_t solved_at_ = 0;
  mutable bool solved_ = false;
};

}  // namespace glimpse
