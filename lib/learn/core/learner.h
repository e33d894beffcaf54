#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/state.h"
#include "data/records/example_reader.h"
#include "learn/core/class_counts.h"
#include "learn/core/first_examples.h"
#include "learn/core/learner_counts.h"
#include "learn/core/learner_report.h"
#include "learn/core/merging.h"
#include "learn/core/model.h"
#include "learn/core/plan.h"
#include "learn/core/small_model.h"
#include "learn/gauge/attribute_reach.h"
#include "learn/gauge/label_range.h"
#include "learn/gauge/value_gauge.h"
#include "learn/options/options.h"
#include "stats/change_detector.h"
#include "stats/feature_map.h"
#include "stats/progressive_loss.h"
#include "stats/second_moments.h"

namespace glimpse {

class Conditioning;
struct ClassModel;
class Monomials;
class Solving;
struct Solution;
struct SolutionUnits;

/// A budgeted online learner of a linear model under the squared loss. It never sees an example: it says
/// which attributes to reveal, and learns from their values.
///
///     learner.plan(random, plan);                    // which attributes
///     example.reveal(plan.attributes, values);       // the holder of the example
///     learner.learn(plan, values, label, importance);
///
/// Plans may be answered late and in any order, each at most once. Thread-safety: none; owned by the trainer
/// thread.
class Learner {
 public:
  virtual ~Learner() = default;

  /// Draws the attributes of the next example into `plan`, whose memory is reused.
  void plan(Random& random, Plan& plan) {
    begin_plan(random, plan);
    finish_plan(random, plan);
  }
  /// plan() in two parts, for callers that plan ahead (PlanAhead). begin_plan() makes the draws that do not
  /// depend on the examples in between, and prefetches the memory of what it drew. finish_plan() is called
  /// after these examples. Until then only plan.attributes may be read: those drawn so far, in any order,
  /// perhaps repeated.
  virtual void begin_plan(Random& random, Plan& plan) = 0;
  virtual void finish_plan(Random& /*random*/, Plan& /*plan*/) {}
  /// Names what begin_plan() draws from: a plan that was begun may be finished as long as it stays the same.
  /// None: plans are begun and finished at once.
  virtual std::optional<std::uint64_t> plan_version() const { return std::nullopt; }
  /// Where begin_plan() is in a block of examples that have one plan. It goes on from one that plan_block()
  /// gave while plan_version() was the same, or in the process before.
  virtual PlanBlock plan_block() const { return {}; }
  virtual void set_plan_block(const PlanBlock& /*block*/) {}
  /// The same from `available` alone: attributes, strictly ascending, at least one. The others count as being
  /// at their means; PLANS.md says what that is worth. O(K·|available|). An Error (kUnavailable) for learners
  /// that cannot plan so: aer, baseline.
  virtual Status plan_among(Random& random, std::span<const Attribute> available, Plan& plan);

  /// Whether it learns from whatever an example gives, with O(that) of arithmetic: its holder then makes the
  /// plan from the entries of the example, in ascending order, in place of plan(), which is of all d.
  /// Attributes that are not among them are 0, and values of 0 are left out.
  virtual bool learns_from_entries() const { return false; }

  /// One step. values[i] belongs to plan.attributes[i]; NaN: missing. `label` and `importance` ≥ 0 finite;
  /// importance multiplies the gradient; with 0 the example changes nothing but the counts.
  /// Whatever the Outcome, the learner stays sound. O(K log d) for the budgeted first-order learners.
  Outcome learn(const Plan& plan, std::span<const double> values, double label, double importance) {
    return learn(plan, values, std::span<const double>(&label, 1), importance);
  }
  /// The same of label_count() numbers. An example of which one label cannot be learned from is not learned
  /// from.
  Outcome learn(const Plan& plan, std::span<const double> values, std::span<const double> labels,
                double importance);

  /// Of several labels (LearnerOptions::labels) this learner is that of the first. Whatever is done to
  /// examples, plans and states is asked of it. of_label() has one for each label, this one among them, for
  /// questions: all that is told of a model, a loss or the labels is told of that one.
  std::size_t label_count() const { return 1 + further_.size(); }
  const Learner& of_label(std::size_t label) const { return label == 0 ? *this : *further_[label - 1]; }
  Learner& of_label(std::size_t label) { return label == 0 ? *this : *further_[label - 1]; }
  /// Before anything was learned: the next label's, which becomes part of this. REQUIRES: both are of the
  /// same options except `labels` and `budget_cost`, and these are ones that validate() accepts.
  void add_label(std::unique_ptr<Learner> learner);

  /// The prediction of the averaged model, from the attributes an example gives: not clipped. O(entries).
  virtual double predict(std::span<const Entry> entries) const = 0;
  /// The same with a model of model_of_predictions(), perhaps an earlier one: not cut to what is finite. What
  /// the model does not hold, means for values that are missing, is of now.
  virtual double predict_with(const Model& model, std::span<const Entry> entries) const;
  /// The same of a model of a fixed count of examples: a function of the examples so far alone, whatever was
  /// solved for elsewhere and when. Of learners that solve it is what progressive_loss() is of, the mean of
  /// the labels before the first such model; of those that step the present one. O(entries).
  virtual double predict_as_judged(std::span<const Entry> entries) const { return predict(entries); }

  /// Labels are classes from now on: codes 0, 1, 2, … in place of numbers, `expected` of them at least.
  /// Before the first label. Where learns_classes() there may be any number of them, elsewhere two: an
  /// example of a third is Outcome::kOutOfRange.
  void make_classifier(std::size_t expected = 0) { classes_.begin(expected); }
  /// Takes that back. REQUIRES: no label was learned.
  void forget_classifier() { classes_ = ClassCounts(); }
  bool is_classifier() const { return classes_.are_classes(); }
  const ClassCounts& classes() const { return classes_; }
  /// Whether there may be more than two.
  virtual bool learns_classes() const { return false; }
  /// Of a classifier: scores of classes(), log-odds up to what all have in common. By `model`, of
  /// class_model(), or by what that would give now; classes that came after it have kNoScore.
  /// O(entries·classes).
  virtual void class_scores(const ClassModel* model, std::span<const Entry> entries,
                            std::span<double> scores) const;
  /// The same by the model of predict_as_judged().
  virtual void judged_class_scores(std::span<const Entry> entries, std::span<double> scores) const {
    class_scores(nullptr, entries, scores);
  }
  /// Scores of two classes from a prediction of what they are learned as: those of learners that have no
  /// class_model(). A function of the prediction alone.
  void scores_of_prediction(double prediction, std::span<double> scores) const;
  /// The scores that class_scores() would use now, in the user's units; nullptr: they are made of predict().
  virtual std::shared_ptr<const ClassModel> class_model() const { return nullptr; }

  /// What predictions of that model are made from where values are missing; nullptr: these count as their
  /// attributes' means. O(d) for the first after another model judges.
  virtual std::shared_ptr<const Solution> judged_basis() const { return nullptr; }

  /// The averaged model. O(d); reuses the memory of `model`.
  virtual void model(Model& model) const = 0;
  /// The model that predict() would use now: bias + ⟨weights, x⟩ with it, summed in the order of the entries,
  /// is predict() to the bit, where no value is missing. O(d) for learners that step; those that solve share
  /// what they have.
  virtual std::shared_ptr<const Model> model_of_predictions() const { return shared_model(); }
  /// The same of what model() gives.
  virtual std::shared_ptr<const Model> shared_model() const {
    auto copy = std::make_shared<Model>();
    model(*copy);
    return copy;
  }

  /// What the attributes are worth to the model that shared_model() gave last, by the moments that it was
  /// solved from. nullptr: this learner does not know, or another model answers. O(1).
  virtual std::shared_ptr<const Importances> importances() const { return nullptr; }

  /// Standard errors of that model's weights, by slots; of a classifier's, the model of the indicator of
  /// class 1. NaN: not known. nullptr: of none, or nobody asked for them (SolutionWish). O(1).
  virtual std::shared_ptr<const std::vector<double>> weight_errors() const { return nullptr; }

  /// The answer to a question that was asked (SolutionWish), from the moments that the newest model was
  /// solved from. nullptr: there is none, as where another model answers.
  virtual std::shared_ptr<const SmallModel> small_model(const SmallModelQuestion& /*question*/) const {
    return nullptr;
  }
  /// An Error (kUnavailable) says why there are none.
  virtual Status check_small_models() const;

  /// Phase, step, model and memory as they are now. O(1).
  virtual LearnerReport describe() const = 0;
  /// The part of a learner that solves for its model; nullptr for those that step.
  virtual Solving* solving() { return nullptr; }
  /// The part of a learner that knows how attributes depend on each other; nullptr for those that do not.
  virtual const Conditioning* conditioning() const { return nullptr; }

  virtual SamplingRow sampling_row(Attribute attribute) const = 0;
  /// The same of the feature in a slot of the model, in the user's units, as far as it is known.
  virtual Moment feature_moment(std::size_t slot) const {
    return sampling_row(static_cast<Attribute>(slot)).moment;
  }
  /// The largest magnitude of it that was learned from, as sampling_row() has it; predictions ask for it of
  /// every value.
  virtual double largest_value(Attribute attribute) const {
    return static_cast<double>(sampling_row(attribute).moment.max_abs);
  }

  /// What answers take of an attribute with --clip auto. O(1).
  AttributeReach reach(Attribute attribute) const {
    if (features_.is_date(attribute)) return {0, -kMostDays, kMostDays};
    if (features_.is_category(attribute)) return {};
    const ValueGauge::Range trusted = attribute_gauge().trusted(attribute);
    return {largest_value(attribute), trusted.low, trusted.high};
  }
  /// How often everything was forgotten, in this process: what was predicted before is of no model that is.
  std::uint64_t beginnings() const { return beginnings_; }
  /// Grows whenever reach() of an attribute may have changed.
  std::uint64_t changes() const { return changes_; }

  /// Whether attributes may hold categories: their values are then codes, 0, 1, 2, … (FeatureMap), and the
  /// model has weights of features, in their slots.
  virtual bool learns_categories() const { return false; }
  /// Whether a value of it was learned from.
  bool has_seen(Attribute attribute) const {
    const Moment moment = sampling_row(attribute).moment;
    return moment.count > 0 || moment.max_abs > 0;
  }
  /// Attribute i does from now on, which was never learned from before. It stays. REQUIRES:
  /// learns_categories().
  void make_category(Attribute i) {
    ++changes_;
    features_.make_category(i);
    for (const auto& other : further_) other->make_category(i);
  }
  /// Whether dates have their day of the week, month and hour as features beside the number of days. Under a
  /// ball, in which all weights are of one unit, they do not.
  bool learns_dates() const { return learns_categories() && !options_.radius; }
  /// Attribute i holds dates, whose `parts`, a set of DatePart that is not empty, are features from now on.
  /// It was never learned from before, and holds no categories. REQUIRES: learns_dates().
  void make_date(Attribute i, std::uint8_t parts) {
    ++changes_;
    features_.make_date(i, parts);
    for (const auto& other : further_) other->make_date(i, parts);
  }
  /// Attribute i is as if it had never come, a category no more: whoever gets its number next has nothing of
  /// it. Nothing, where a value of it was learned from.
  void forget_unlearned(Attribute i) {
    if (has_seen(i) || (features_.has_indicators(i) && !features_.indicators(i).empty())) return;
    ++changes_;
    gauge_.forget(i);
    features_.forget(i);
    for (const auto& other : further_) other->forget_unlearned(i);
  }
  /// The newest example, which was left out, brought names, words or classes that are forgotten now: its
  /// numbers have no meaning any more, and it is not learned again with the other first examples.
  void withdraw_last() { first_.withdraw_last(); }
  /// Grows when an example is learned from that has a category for the first time.
  const FeatureMap& features() const { return features_; }
  /// The products of attributes that the model has weights of, in the slots from d on; nullptr: it has none.
  virtual const Monomials* products() const { return nullptr; }

  /// Whether an example some of whose planned values are missing is learned from by the others.
  virtual bool learns_from_partial() const { return false; }

  /// Nearly all of the last examples were Outcome::kDiverged, kForGood of them at least: the weights are
  /// where hardly a step is taken any more, and will stay there.
  static constexpr std::uint64_t kForGood = 100;
  bool has_diverged_for_good() const { return diverged_ >= kForGood; }

  const LearnerOptions& options() const { return options_; }
  const LearnerCounts& counts() const { return counts_; }
  /// The labels of the examples learned from with an importance above 0.
  const LabelRange& labels() const { return labels_; }
  /// Of the same labels: what the progressive loss is a share of.
  const LabelSpread& label_spread() const { return label_spread_; }
  /// Of a classifier ClassCounts::variance(), with which its progressive loss is comparable.
  double label_variance() const { return is_classifier() ? classes_.variance() : label_spread_.variance(); }
  /// Unbiased estimate of the squared error (ŷ_t − y_t)² of the iterates, or of the last model before, from
  /// the attributes of the plans alone and before learning. Where learns_from_partial() a missing value
  /// counts as its attribute's mean; elsewhere examples whose planned values are not all there are left out,
  /// so that it is the error of the others.
  /// Of more than two classes: of half of the squared errors of all their indicators, summed.
  const ProgressiveLoss& progressive_loss() const {
    return waits_for_origin() ? loss_of_mean_ = progressive_loss_.of_baseline() : progressive_loss_;
  }
  /// ProgressiveLoss::set_recent() of all labels.
  void set_recent(std::uint64_t examples);
  const DriftReport& drift() const { return drift_; }
  /// With --drift auto: from now on the learner's own losses rise without consequence, and stay to be seen in
  /// its state: what all learners of a stream forget is decided from the states of all (watched_losses.h).
  void watch_together() { watches_together_ = true; }
  /// Forgets by such a decision what it would by a rise of its own. Between two examples.
  void forget_together(const SharedRise& rise);

  /// Gets the examples that `other` learned from, none of which it knows (MERGING.md). Errors: kMismatch says
  /// what differs; kUnavailable: there is no merging with this algorithm; kTooLarge. After one this must not
  /// be used any more, else only by merge() and finish_merging(). O(d²) where pairs are kept, else O(d).
  Status merge(const Learner& other, const Numbering& numbering = {});
  /// What merge() refuses before it looks at numbers: other options, and labels of another kind. O(1).
  Status check_mergeable(const Learner& other) const;
  /// Before merging: from now on nothing waits for an origin of labels that are far from 0.
  void choose_origins_now();
  /// After the last: plans are made from all that is known, and a model of it judges, which costs a solution.
  void finish_merging();

  /// Everything that the future depends on. Does not change the learner.
  void save(State& state) const;
  /// Continues from what save() wrote. An Error (kMismatch) when the state is of other options, (kCorrupt)
  /// when something is not there; the learner must not be used after one.
  Status restore(const State& state);

 protected:
  explicit Learner(const LearnerOptions& options);

  /// The learner of the first label, of another one; nullptr: this is it.
  const Learner* lead() const { return lead_; }
  /// From now on what does not depend on the label is `lead`'s.
  virtual void share_looks(const Learner& /*lead*/) {}
  /// Whether step() would take the example.
  virtual bool can_step(std::span<const double> /*values*/, double /*label*/, double /*importance*/) const {
    return true;
  }
  /// Of a model that has all examples: LearnerReport::origin of learners that step.
  ModelOrigin all_examples() const { return {counts_.examples, counts_.attributes_revealed}; }
  /// What is less counts as 0: products with it would not be numbers.
  virtual double smallest_importance() const { return 0; }
  /// What a class is learned as: −1 and 1, or 0 and 1, whether it is class 1.
  virtual double label_of_class(std::size_t c) const { return c == 1 ? 1 : -1; }
  /// Of the present example.
  std::size_t class_of_example() const { return class_of_example_; }
  /// learn() without the checks and counts; kLearned, kDiverged, or kLeftOut for a plan made from weights
  /// that were forgotten. `values` and `label` are in the units of gauge(), as everything is that a learner
  /// keeps of them; what it tells others is in the user's: outward().
  virtual Outcome step(const Plan& plan, std::span<const double> values, double label, double importance) = 0;
  /// An example none of whose planned values was there, so that step() gets nothing of it, where
  /// learns_from_partial(): for the progressive loss, which would be of the other examples alone without it.
  virtual void judge_unseen(const Plan&, std::span<const double> /*values*/, double /*label*/) {}
  /// The label of such an example is learned from all the same.
  virtual void learn_label(double /*label*/, double /*importance*/) {}
  /// After an example that step() learned from: phases and plans at fixed counts of them.
  virtual void after_example() {}
  /// How many those were: counts().examples without the ones of importance 0, since restart_steps().
  std::uint64_t steps() const { return steps_; }
  void restart_steps() { steps_ = 0; }
  /// Before the first example: known moments are in the user's units.
  void keep_own_units() { gauge_.set_units(GaugeUnits::kFixed); }
  /// Values of attribute i are up to `largest` > 0, as is known before the first.
  void expect_values(std::size_t i, double largest) { gauge_.expect(i, largest); }
  const ValueGauge& gauge() const { return gauge_; }
  /// A mean or a largest value of attribute i, and a number in the label's unit, in the user's. Codes and
  /// indicators have no unit.
  double outward(std::size_t i, double x) const;
  double label_outward(double y) const;
  GuardReport outward(GuardReport report) const;
  /// A value of attribute i in the learner's unit.
  double inward(std::size_t i, double x) const;
  SamplingRow outward(std::size_t i, const SamplingRow& row) const;
  /// A model of the user's units in the learner's, and a learner's in the user's.
  Model inward(Model model) const;
  void outward(Model& model) const;
  /// The units of now, of every slot that there is room for; none: the user's own.
  virtual std::shared_ptr<const SolutionUnits> solution_units() const;
  /// Labels are far from 0 so far, and the first examples will be learned again from there. Until then the
  /// model is the mean of the labels, which model_of_mean() writes.
  bool waits_for_origin() const;
  void model_of_mean(Model& model) const {
    model.weights.assign(options_.dimension, 0);
    model.bias = label_spread_.mean();
  }
  /// A prediction as a number: what is beyond a double counts as the largest, and what is undefined, as
  /// unbounded terms of both signs meet, as 0.
  static double finite(double prediction);
  /// From step(): an estimate of the squared error, where it is finite. `effect`: ProgressiveLoss::add().
  /// `is_exact`: the squared error itself, as all attributes were looked at.
  void count_loss(double estimate, double effect = 1, bool is_exact = false);
  /// How its losses are watched.
  Watch watch() const {
    if (options_.drift == Drift::kOff) return Watch::kOff;
    return watches_together_ ? Watch::kTogether : Watch::kAlone;
  }
  /// From step(), with --drift auto: a loss has risen. forget() is called after the example.
  void note_rise(const ChangeDetector::Rise& rise) { rise_ = rise; }
  /// The stream has changed: what was learned before is wrong, or some of it.
  virtual void forget(const ChangeDetector::Rise&) {}
  /// Everything learned is of no use. Afterwards all is as at the beginning, except random numbers and
  /// counts.
  virtual void forget_everything() = 0;
  /// The same of what is known of one attribute, as if it had never been seen. At most O(d).
  virtual void forget_attribute(Attribute attribute) = 0;
  /// Behind forget_everything(), or before the first example: labels are near `mean`, which is far from 0.
  /// False: this learner has no use for it.
  virtual bool expect_label(double /*mean*/) { return false; }
  /// What merge() does with all that save_state() saves. features() have what both have, counts() and steps()
  /// are those from before.
  virtual Status merge_state(const Learner& other, const MergedSlots& slots);
  /// finish_merging() of one label.
  virtual void after_merging() {}
  virtual void save_state(State& state) const = 0;
  virtual Status restore_state(const State& state) = 0;

  /// Prefetches the cell that judges values of the attribute.
  void prefetch_gauge(Attribute i) const { attribute_gauge().prefetch_attribute(i); }

  ProgressiveLoss progressive_loss_;
  FeatureMap features_;

 private:
  int exponent(std::size_t slot) const {
    return slot < options_.dimension && !features_.is_date(slot) ? attribute_gauge().exponent(slot) : 0;
  }
  double largest_magnitude(Attribute i) const { return features_.is_date(i) ? kMostDays : kLargestMagnitude; }
  const ValueGauge& attribute_gauge() const { return lead_ != nullptr ? lead_->gauge_ : gauge_; }
  bool has_own_units() const { return gauge_.plain() && attribute_gauge().plain(); }
  ValueGauge::Verdict judge_labels(double& label);
  void forget_attribute_of_all(Attribute attribute);
  bool can_step_all(std::span<const double> values, double label, double importance) const;
  void step_others(const Plan& plan, std::span<const double> values, double importance);
  void finish_others();
  void save_others(State& state) const;
  Status restore_others(const State& state);
  Status merge_categories(const Learner& other, const Numbering& numbering);
  Status merge_dates(const Learner& other, const Numbering& numbering);
  MergedSlots merge_slots(const Learner& other, const Numbering& numbering);
  Status merge_one(const Learner& other, const Numbering& numbering);
  void note_classes();
  void adapt();
  void note_label(double label);
  void begin_again();
  bool lacks_origin() const;
  bool begin_from_origin();
  void choose_origins();
  Outcome learn_once(const Plan& plan, std::span<const double> values, std::span<const double> labels,
                     double importance);
  Outcome learn_first(const FirstExamples::Example& example, std::map<Attribute, double>& means);
  Outcome learn_again();
  Outcome settle(Outcome outcome, bool lacked_origin);
  template <class TakeOut>
  bool found_out(const TakeOut& take_out);
  void refute_label();
  void refute_attribute(Attribute i);
  Outcome learn_given(const Plan& plan, std::span<const double> values, double label, double importance);
  void learn_label_alone(const Plan& plan, std::span<const double> values, double label, double importance);
  struct Look;
  Look look_at(const Plan& plan, std::span<const double> values, double label) const;
  std::span<const double> without_beyond(const Plan& plan, std::span<const double> values);
  bool gauge_or_begin_again(const Plan& plan, std::span<const double> values, double& label);
  Outcome take_step(const Plan& plan, std::span<const double> values, double label, double importance);
  double in_place_of(Attribute i) const;
  bool gauge_example(const Plan& plan, std::span<const double> values, double& label);
  double bounded_importance(double importance);

  const LearnerOptions options_;
  const bool begins_from_origin_;  // where labels are far from 0
  mutable ProgressiveLoss loss_of_mean_;
  const Learner* lead_ = nullptr;
  std::vector<std::unique_ptr<Learner>> further_;  // of the second label and those behind it
  std::vector<double> other_labels_;               // theirs of the present example
  mutable State saved_;                            // of one of them
  ValueGauge gauge_;                               // of a further label: the label's alone
  FirstExamples first_;
  bool learns_again_ = false;   // they are to be learned again: a number was found out
  std::vector<double> within_;  // its values but those beyond kLargestMagnitude
  std::vector<double> gauged_;  // the present example's values as the learner gets them
  Plan plan_of_entries_;        // and, where learns_from_entries(), which are not 0
  std::vector<double> entry_values_;
  double importances_ = 0;  // summed
  std::uint64_t diverged_ = 0;
  LearnerCounts counts_;
  LabelRange labels_;
  LabelSpread label_spread_;
  ClassCounts classes_;
  std::size_t class_of_example_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t changes_ = 0;
  std::uint64_t beginnings_ = 0;
  std::optional<ChangeDetector::Rise> rise_;  // noticed in the present example
  DriftReport drift_;
  bool watches_together_ = false;
};

}  // namespace glimpse
