#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "learn/core/learner.h"
#include "learn/core/solving.h"
#include "learn/draws/plan_blocks.h"
#include "learn/evaluation/model_guard.h"
#include "learn/evaluation/past_models.h"
#include "learn/judges/judge_schedule.h"
#include "learn/judges/pending_judge.h"
#include "learn/judges/solve_memory.h"
#include "learn/pairwise/best_looks.h"
#include "learn/pairwise/look_phase.h"
#include "stats/pair_moments.h"

namespace glimpse {

// What Pairwise and ScreenedPairwise have in common.

inline constexpr std::uint64_t kSolutionShare =
    50;  ///< predict() takes a solution that lacks 1/50 of the examples
inline constexpr std::uint64_t kLargestGrowth = 4;      ///< of the examples while they are copied: by 1/4
inline constexpr std::uint32_t kDrawsAnAttribute = 16;  ///< of a plan, until the rest is drawn uniformly
inline constexpr double kSmallestPairImportance = 1e-30;
inline constexpr double kLargestPairTerm = 1e60;  ///< its square, summed over a stream, is still a number

/// So many examples at least there were when chances were planned that hold until there are `next`: counts
/// are powers of two and those half-way between, or come sooner.
inline constexpr std::uint64_t examples_planned_at(std::uint64_t next) {
  return std::has_single_bit(next) ? next / 4 * 3 : next / 3 * 2;
}

/// The base of learners that solve for their model out of the moments of pairs: Pairwise, ScreenedPairwise.
/// It keeps the newest solution, the earlier ones that judge (PastModels), and the guard that decides which
/// of them answers (ModelGuard). A derived class draws the plans, keeps the sums and solves.
///
/// The progressive loss of an example is that of the judge of then, a model made of a fixed count of the
/// examples before it (JudgeSchedule). So it is a function of the examples alone. A judge is solved for by
/// who has time, from a copy of the sums of exactly its count (PendingJudge); where it is not there when it
/// is to judge, the learner solves for it then.
class SolvingLearner : public Learner, public Solving {
 public:
  void begin_plan(Random& random, Plan& plan) override;
  std::optional<std::uint64_t> plan_version() const override { return plan_version_; }
  PlanBlock plan_block() const override { return blocks_.block(); }
  void set_plan_block(const PlanBlock& block) override { blocks_.set_block(block); }
  double predict(std::span<const Entry> entries) const override;
  double predict_with(const Model& model, std::span<const Entry> entries) const override;
  double predict_as_judged(std::span<const Entry> entries) const override;
  std::shared_ptr<const Solution> judged_basis() const override;
  void model(Model& model) const override { model = newest_solution().model; }
  std::shared_ptr<const Model> model_of_predictions() const override;
  std::shared_ptr<const Model> shared_model() const override;
  std::shared_ptr<const Importances> importances() const override;
  std::shared_ptr<const std::vector<double>> weight_errors() const override;
  std::shared_ptr<const SmallModel> small_model(const SmallModelQuestion& question) const override;
  Status check_small_models() const override;
  LearnerReport describe() const override;
  bool learns_from_partial() const override { return true; }
  void set_helpers(std::shared_ptr<Helpers> helpers) override { moments_.set_helpers(std::move(helpers)); }
  void class_scores(const ClassModel* model, std::span<const Entry> entries,
                    std::span<double> scores) const override;
  void judged_class_scores(std::span<const Entry> entries, std::span<double> scores) const override;
  std::shared_ptr<const ClassModel> class_model() const override;

  Solving* solving() override { return this; }
  void begin_capture() override;
  void adopt(std::shared_ptr<const Solution> solution) override;
  void wish(const SolutionWish& wish) override;
  std::shared_ptr<SolveAhead> take_ahead() override;
  bool has_ahead() const override;
  void leave_ahead_to_others() override;

  /// The moments of the pairs that are kept.
  const PairMoments& moments() const { return moments_; }

 protected:
  /// `pairs`: the attributes whose pairs are kept in the beginning.
  SolvingLearner(const LearnerOptions& options, std::size_t pairs);

  /// What a solution is made of beside the sums: noted when a copy of these begins.
  struct Capture {
    ModelOrigin origin;
    ServedModel choice;
    std::shared_ptr<const SolutionUnits> units;
    std::shared_ptr<const std::vector<Attribute>> best;  ///< which alone have weights; nullptr: all
    std::uint64_t steps = 0;
    bool is_stale = true;  ///< the stream has changed since, or the attributes
  };
  Capture now() const;
  /// The examples became more by 1/kLargestGrowth since it began.
  bool is_old(const Capture& capture) const;

  /// What the solution of the copy that was begun last is to have: for solve().
  const SolutionWish& granted() const { return granted_; }
  /// The small models that are wished for, from `moments`; the last solution of `solver` is lost.
  void find_small_models(const PairSnapshot& moments, const Prices* prices,
                         const std::optional<NormBall>& ball, PairwiseSolver& solver,
                         const Cancelled& cancelled, Solution& solution) const;

  /// A solution of what is known now, solved on this thread.
  virtual std::shared_ptr<const Solution> solve_now() const = 0;
  /// Begins the copy that solve() is to use.
  virtual void start_capture() const = 0;
  /// The copy that was begun is of no use any more.
  virtual void spoil_capture() = 0;
  /// Before its copy begins: the memory of judges before it, which is taken back once it is spent. What is
  /// small is kept between them, and anything while solutions are not made elsewhere: they use it as well.
  void lend_memory(JudgeBasis& basis) const;
  /// For a solution that is made now; nullptr where captures have their own.
  SolveMemory* lendable() const { return has_copy_ ? nullptr : &solve_memory_; }
  /// What a judge is solved for from, made now: the copy of the sums has begun.
  virtual std::unique_ptr<JudgeBasis> judge_basis() const = 0;
  virtual JudgeForm judge_form() const = 0;
  /// A plan of its own, by the chances of now.
  virtual void draw_plan(Random& random, Plan& plan) = 0;
  /// The count of examples at which these are planned next.
  virtual std::uint64_t next_planning() const = 0;
  /// Chances are others from now on: the next plan is another one.
  void draw_otherwise();
  /// Bytes of everything but the judges.
  virtual std::size_t sums_memory_bytes() const = 0;
  /// The number of attributes that a judge is solved for.
  virtual std::size_t judged() const = 0;
  /// The mean of what a slot of features() has, in the learner's unit.
  virtual double mean_of(std::size_t slot) const = 0;

  void share_looks(const Learner& lead) override {
    moments_ = PairMoments(moments_.dimension(), static_cast<const SolvingLearner&>(lead).moments_);
  }
  bool can_step(std::span<const double> values, double label, double importance) const override {
    return is_summable(values, label, importance);
  }
  /// Of nothing.
  PairMoments no_sums(std::size_t slots) const {
    const PairMoments* const shared = moments_.shared_pairs();
    return shared != nullptr ? PairMoments(slots, *shared) : PairMoments(slots);
  }
  /// Of another label than the first: solutions come from the first one's captures from now on.
  void begin_shared_capture();

  double smallest_importance() const override { return kSmallestPairImportance; }
  double label_of_class(std::size_t c) const override { return c == 1 ? 1 : 0; }
  /// After moments_ has the example: the sums of its class, where it has one.
  void learn_class(double importance);
  /// What losses are compared with: of more than two classes, ClassCounts::variance() is its variance.
  LabelSums label_of_losses() const;
  void judge_unseen(const Plan& plan, std::span<const double> values, double label) override;
  void learn_label(double label, double importance) override {
    moments_.add({}, {}, label, importance);
    learn_class(importance);
  }

  /// Every value, the label and the importance are such that sums of their products stay numbers.
  static bool is_summable(std::span<const double> values, double label, double importance);
  /// Counts the loss of an example before it is learned from. `watch`: for changes of the stream as well.
  bool tells_of_errors(const Plan& plan) const;
  void judge(const Plan& plan, std::span<const double> values, double label, Watch watch);
  /// After every example: a judge where one is due, or one that judges from now on.
  void judge_when_due();
  /// Before the pairs of `attributes`, by place in moments(), are added.
  void keep_for_judge(std::span<const Attribute> attributes);
  /// Before moments() change otherwise.
  void finish_judges_copy() const;
  /// forgetting_, of moments().
  void forget_moments();
  void forget_judgements_of(Attribute attribute);
  void forget_judgements();
  /// The next solution is made of what is there then.
  void drop_solution();
  /// Steps, and labels that came alone: how many examples a model has.
  std::uint64_t learned() const { return steps() + counts().missing; }
  /// The newest solution, of `oldest` examples at least unless solutions come from elsewhere. Those of all
  /// labels are made at one moment, so that answers about several are of the same examples.
  const Solution& solution(std::uint64_t oldest) const;
  /// That of every example so far, also of those that weigh too little to be a step.
  const Solution& newest_solution() const;
  /// predict()'s.
  const std::shared_ptr<const Solution>& recent_solution() const;

  void save_judges(State& state) const;
  Status restore_judges(const State& state);
  bool has_solution() const { return solution_ != nullptr; }
  /// The newest there is; nullptr before the first.
  const Solution* held_solution() const { return solution_.get(); }
  /// The model that progressive_loss() is of; nullptr: the mean of the labels.
  const PastModel* judging() const;
  /// Adds the examples of `other` to moments(): slot s gets those of slot from[s] there. `are_same`: these
  /// are s throughout.
  void merge_moments(const PairMoments& other, std::span<const std::size_t> from, const MergedSlots& slots,
                     bool are_same);
  /// Nothing that was judged or chosen before counts any more.
  void forget_for_merging();
  /// Once all are there: a model of all judges.
  void judge_merged();
  /// Other attributes are looked at from now on than before: best_.
  virtual void best_changed() = 0;
  /// All are.
  void forget_best();
  /// `attributes` but those that are looked at: what a solution leaves out, by place. Empty: nothing.
  static std::vector<bool> not_best(const Capture& capture, std::size_t attributes);
  /// How many slots models have room for.
  virtual std::size_t model_slots() const { return features_.room(); }

  PairMoments moments_;
  const JudgeSchedule schedule_;
  const double forgetting_;  // by which older examples are multiplied for each new one
  PastModels past_models_;
  ModelGuard guard_;
  ClassQuota class_quota_;
  ProductGuard product_guard_;
  LookPhase look_phase_;
  BestLooks best_;
  mutable bool has_copy_ = false;  // the memory of captures is there

 private:
  double error_of_mean(double label) const {
    const double error = label - (options().bias ? moments_.label().mean() : 0);
    return error * error;
  }
  double design_effect() const;
  double error_of_shares(const PastModels::Classes& classes) const;
  // The same of the mean, and of the shares, when `model` was made.
  double error_of_mean(double label, const PastModel& model) const {
    const double error = label - (options().bias ? model.at_centre : 0);
    return error * error;
  }
  double error_of_shares(const PastModels::Classes& classes, const PastModel& model) const;
  bool knows_class(const PastModel& model) const;
  bool is_first_of_class() const;
  bool has_usual_class(const PastModel& model);
  bool has_usual_mix(const PastModel& model) const;
  double indicator_term(const Model& model, const Entry& entry) const;
  std::optional<PastModels::Classes> judged_classes() const;
  void use_judge();
  void take_memory_back();
  // Of all labels, at one moment. Asked of the learner of the first.
  bool are_solved_since(std::uint64_t oldest) const;
  void solve_of_now() const;

  PlanBlocks blocks_;               // of examples that have one plan
  std::uint64_t plan_version_ = 0;  // grows when chances are others

  std::unique_ptr<PendingJudge> pending_;  // will judge; mostly there is none. save() ends its copy

  mutable SolveMemory solve_memory_;  // while nothing is solved for with it

  bool is_judge_near_ = false;  // pairs are added at once for its sake

  mutable std::shared_ptr<const Solution> judged_basis_;  // of judged_, in the units of then
  mutable const PastModel* judged_ = nullptr;

  mutable std::shared_ptr<const Solution> solution_;  // the newest
  mutable std::uint64_t solved_at_ = 0;               // learned(), when this thread solved
  mutable SolutionWish wish_;
  mutable SolutionWish granted_;   // changes while no solve() is under way alone
  bool solved_elsewhere_ = false;  // begin_capture() was called
  bool judged_elsewhere_ = false;  // that, or leave_ahead_to_others()
  bool adopted_ = false;           // adopt() was called
};

}  // namespace glimpse
