#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "learn/covariance/attribute_screen.h"
#include "learn/draws/available_draws.h"
#include "learn/pairwise/solving_learner.h"
#include "learn/solver/pairwise_solver.h"
#include "sampling/attribute_set.h"
#include "sampling/level_table.h"
#include "stats/pair_snapshot.h"

namespace glimpse {

/// The pairwise learner for more attributes than there is memory for pairs. Attributes that explain something
/// are active, at most active_limit() of them: only their pairs are kept, and only they enter the model. All
/// others are looked at now and then to find out whether they explain something (AttributeScreen). Screening
/// by marginal correlation is Fan &
/// Lv's (2008, "Sure independence screening"); looking more often at what is promising, again after every
/// round of reveals, is that of distilled sensing (Haupt, Castro & Nowak 2011). Nothing to tune.
///
/// A plan is K distinct attributes. Half of the draws fall on the active ones, ∝ their deviation. The others
/// fall on the rest, ∝ the square of what each is expected to explain. A tenth falls on all alike. Which
/// are active, and how attributes are drawn, is decided again when the example count has grown by a third to
/// a half. An attribute becomes active when it is expected to explain clearly more than the noise of its
/// weight costs (n_i·E[ρ_i²] > 2), and stays until that is below ½. Its moments in the model are those of
/// examples after that: those that it was chosen by would make it look better than it is. Until there are
/// enough of them beside the others' it has no weight (too_young()). Where all attributes fit, all are active
/// from the beginning, and this is the pairwise learner.
///
/// Plans never depend on the example, so plain ratios need no importance weights, and answers can be late.
/// An example with missing values is learned from by the others. Once there were thousands of examples
/// several have the same plan (PlanBlocks). How it was found: EXPERIMENTS.md.
///
/// Attributes that hold categories are not screened: each is active from the first time that it was seen, its
/// pairs are kept with those of its indicators, and it is drawn as an active one, by the spread of these.
/// There are up to 1,024 indicators; categories beyond have none.
///
/// Of more than two classes an attribute becomes active by what it explains of all of them: the share of its
/// variance between classes, n_i·E[η_i²] > 2·(C − 1).
///
/// Of several labels an attribute counts by the label that it explains best. Each has a screen of its own;
/// which attributes are active, and how they are drawn, is decided by all of them and the same for all, and
/// pairs are kept once. LABELS.md.
///
/// With a half-life the screen forgets as the pairs do, so that an attribute that no longer explains anything
/// loses its place. All is then decided again at least once in a half-life, or in d/K examples where that is
/// more. With --drift auto what has become wrong is forgotten as by Pairwise, by the screen as well: where
/// all is, no attribute is known to explain anything any more.
///
/// The judges of the progressive loss (SolvingLearner) are solutions. A model that is worse than the mean is
/// withheld as by Pairwise. A plan holds its draws, in order, as inner_product.
///
/// Learning costs O(K²) an example, and O(d + a²) at the counts said. As Solving says, solutions are had from
/// a copy on any thread, or, where none was adopted, on the thread that asks, which counts one of another set
/// of attributes as too old. Memory: 69 bytes an attribute, 32 more once models are judged (48 once one was
/// better than the mean), 16 for each class from the third on, 16·a² for the pairs of a active ones, 8·a²
/// once solved, and as much again for judges as Pairwise says.
class ScreenedPairwise : public SolvingLearner {
 public:
  /// `options` that validate() accepts.
  explicit ScreenedPairwise(const LearnerOptions& options);

  Status plan_among(Random& random, std::span<const Attribute> available, Plan& plan) override;
  bool learns_categories() const override { return true; }
  bool learns_classes() const override { return options().products == 0; }
  Status check_small_models() const override;
  /// Also of an indicator, by its slot.
  SamplingRow sampling_row(Attribute attribute) const override;
  double largest_value(Attribute attribute) const override {
    return outward(attribute, static_cast<double>(static_cast<float>(screen_.largest(attribute))));
  }

  /// A copy during which the set of active attributes changed is begun again as well.
  bool capture(std::size_t bytes) override;
  std::shared_ptr<const Solution> solve(const Cancelled& cancelled) override;

  /// The attributes whose pairs are kept, ascending: moments() are by place here.
  const std::vector<Attribute>& active() const { return active_; }

 protected:
  Outcome step(const Plan& plan, std::span<const double> values, double label, double importance) override;
  void forget_everything() override;
  void forget_attribute(Attribute attribute) override;
  void after_example() override;
  std::shared_ptr<const Solution> solve_now() const override;
  void start_capture() const override;
  void spoil_capture() override { copy_.capture.is_stale = true; }
  std::unique_ptr<JudgeBasis> judge_basis() const override;
  JudgeForm judge_form() const override;
  void draw_plan(Random& random, Plan& plan) override;
  std::uint64_t next_planning() const override { return next_review_; }
  void best_changed() override;
  std::size_t sums_memory_bytes() const override;
  std::size_t judged() const override { return moments_.dimension(); }
  double mean_of(std::size_t slot) const override;
  Status merge_state(const Learner& other, const MergedSlots& slots) override;
  void after_merging() override;
  void save_state(State& state) const override;
  void forget(const ChangeDetector::Rise& rise) override;
  Status restore_state(const State& state) override;

  static constexpr std::uint32_t kInactive = ~std::uint32_t{0};
  // What a solution is made from, and with.
  struct Copy {
    PairSnapshot snapshot;
    PairwiseSolver solver;
    std::vector<Attribute> active;
    std::vector<std::uint64_t> ages;   // of these, in examples
    std::vector<std::uint32_t> slots;  // of the learner's features, by those of the snapshot
    std::size_t room = 0;              // of these features
    std::size_t features = 0;          // how many of them have weights; 0: all
    Model slot_model;                  // by place in `active`
    Capture capture;
    // With its own memory for pairs, or without.
    std::size_t memory_bytes(bool is_own) const {
      const std::size_t a = snapshot.dimension();
      return is_own ? PairSnapshot::memory_bytes(a) + PairwiseSolver::memory_bytes(a)
                    : a * PairSnapshot::kBytesAnAttribute;
    }
  };

  /// All is decided again.
  void review();
  /// For a review: attributes that are to be active whatever they explain alone, ascending, half of
  /// active_limit() at most.
  virtual std::vector<Attribute> choose_members();
  /// Once it chose: active() may be another set.
  virtual void follow_active() {}
  /// What an attribute is expected to explain beside what it explains alone, as E[ρ²].
  virtual double promise_in_products(Attribute) const { return 0; }
  /// Changes what active attributes are worth beside each other, by which they are looked at.
  virtual void prefer(std::span<float> /*worth*/) const {}
  void start_copy(Copy& copy) const;
  virtual std::shared_ptr<const Solution> solve_copy(Copy& copy, const Cancelled& cancelled) const;
  /// A solution of `copy`, in the learner's units, is to say more of itself.
  virtual void complete(Copy& /*copy*/, Solution& /*solution*/) const {}
  /// Of the active attributes: the examples since they became so.
  std::vector<std::uint64_t> ages() const;

  AttributeScreen screen_;
  std::vector<Attribute> active_;
  std::vector<std::uint64_t> since_;  // by place there: steps() when it became active
  FeatureMap places_;                 // what the slots of moments_ are: active_features.h
  std::vector<std::uint32_t> slot_;   // of each attribute its place in active_, or kInactive
  mutable Copy copy_;                 // a capture's, then solve()'s; mutable, as model() may solve with it

 private:
  struct Candidate {
    double key;
    Attribute attribute;
  };

  const ScreenedPairwise& sibling(std::size_t label) const {
    return static_cast<const ScreenedPairwise&>(of_label(label));
  }
  ScreenedPairwise& sibling(std::size_t label) { return static_cast<ScreenedPairwise&>(of_label(label)); }
  // Prefetches the sums, the slot and the gauge cell of an attribute. Its pairs are prefetched apart.
  void prefetch_attribute(Attribute i) const {
    screen_.prefetch_attribute(i);
    prefetch(&slot_[i]);
    prefetch_gauge(i);
  }
  static AttributeScreen::Estimate estimate(std::span<AttributeScreen::Estimates> of_labels, std::size_t i);
  void activate_for_all(const std::vector<Attribute>& active);
  std::shared_ptr<const Solution> solve_beside(const ScreenedPairwise& other,
                                               const Cancelled& cancelled) const;
  std::optional<NormBall> ball() const;
  void note_chances();
  double look_chance(Attribute i) const { return best_.probability(i, q_.probability(i), chance_of_best_); }
  void begin_again_from_sums();
  void begin();
  void choose_active(std::span<const Attribute> members, std::vector<Candidate>& candidates);
  void activate(std::vector<Attribute> active);
  void activate_with_indicators(const Plan& plan);
  std::vector<Attribute> active_of_both(std::vector<Attribute> all, const PairMoments& label);
  std::vector<std::size_t> places_of(const ScreenedPairwise& theirs, const MergedSlots& slots) const;
  void add_features(const Plan& plan, std::span<const double> values, double label, double importance);
  double spread_of_indicators(std::size_t place) const;
  void plan_sampling(std::span<const float> worth);
  SamplingSpread looks() const;
  void set_next_review();
  std::uint64_t age(std::uint64_t since) const;
  std::vector<double> class_shares() const;
  void screen_example(const Plan& plan, std::span<const double> numbers, double label, double importance);
  void solve_active(Copy& copy, Solution& solution, const Cancelled& cancelled) const;
  void find_small_models(Copy& copy, const Cancelled& cancelled, Solution& solution) const;

  LevelTable q_;
  mutable PairSnapshot::LabelSide side_;  // of another label than the first: its part of that one's copy

  double chance_of_best_ = 0;      // in a draw from q
  std::uint64_t next_review_ = 1;  // the example count at which all is decided again

  DrawnSet drawn_;  // of the plan being drawn

  SequentialDraws available_;  // of the plan being drawn among some attributes

  std::vector<Attribute> slots_;  // of the present example
  std::vector<double> slot_values_;
  std::vector<Attribute> indicators_;
  std::vector<double> numbers_;  // its values, categories missing
};

}  // namespace glimpse
