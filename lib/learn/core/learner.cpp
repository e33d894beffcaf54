#include "learn/core/learner.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>

#include "learn/core/option_lines.h"
#include "learn/core/solving.h"
#include "learn/core/state_check.h"
#include "stats/pair_moments.h"

namespace glimpse {

Status Learner::plan_among(Random&, std::span<const Attribute>, Plan&) {
  return failure(ErrorCode::kUnavailable,
                 "--algorithm {} draws from all attributes; it cannot plan among those that are available",
                 options_.algorithm);
}

Status Learner::check_small_models() const {
  return failure(ErrorCode::kUnavailable,
                 "--algorithm {} keeps no moments of pairs, which small models are chosen by: pairwise and "
                 "pairwise-screened do",
                 options_.algorithm);
}

namespace {

// A model of weights in the attributes' own units depends on these; one that is normalised does not.
GaugeUnits gauge_units(const LearnerOptions& options) {
  if (keeps_pairs(options.algorithm)) return options.radius ? GaugeUnits::kShared : GaugeUnits::kOwn;
  if (options.step != StepKind::kAuto || is_css10(options.algorithm)) return GaugeUnits::kFixed;
  return options.radius ? GaugeUnits::kAttributes : GaugeUnits::kOwn;
}

std::size_t most_first_numbers(const LearnerOptions& options) {
  const bool draws_by_weights = options.algorithm == "aer" || (is_budgeted_first_order(options.algorithm) &&
                                                               draws_of(options) == Draws::kSeparate);
  return draws_by_weights ? FirstExamples::kMostByWeights : FirstExamples::kMost;
}

// Categories get indicators as long as their pairs fit.
std::size_t most_slots(const LearnerOptions& options) {
  constexpr std::size_t kMostBesideScreen = 1024;
  if (!keeps_pairs(options.algorithm)) return options.dimension;
  const auto most = static_cast<std::size_t>(PairMoments::largest_dimension(options.pair_memory));
  if (screens(options.algorithm)) return options.dimension + std::min(kMostBesideScreen, most / 2);
  return std::max(options.dimension, most);
}

// No count below that of `least`.
void raise(LearnerCounts& counts, const LearnerCounts& least) {
  for (const auto count :
       {&LearnerCounts::examples, &LearnerCounts::attributes_revealed, &LearnerCounts::missing,
        &LearnerCounts::out_of_range, &LearnerCounts::diverged, &LearnerCounts::left_out,
        &LearnerCounts::bounded_values, &LearnerCounts::bounded_labels, &LearnerCounts::beyond_values,
        &LearnerCounts::bounded_importances, &LearnerCounts::outweighing})
    counts.*count = std::max(counts.*count, least.*count);
}

// Of the attribute, in place of values that are left out. A learner of pairs passes over these, but not where
// it sees all attributes: one lacking value would make the sums of each pair those of other examples.
bool takes_means(const Learner& learner, const Plan& plan) {
  return !learner.learns_from_partial() || plan.attributes.size() == learner.options().dimension;
}

constexpr std::uint64_t kUntilOrigin = std::uint64_t{2} * ValueGauge::kWitnesses;  // first examples
constexpr std::uint64_t kStepsAfterAll = 16;  // examples that diverged are outweighed by one that did not

}  // namespace

Learner::Learner(const LearnerOptions& options)
    : features_(options.dimension, most_slots(options)),
      options_(options),
      begins_from_origin_(options.bias && !keeps_pairs(options.algorithm) &&
                          !finds_products(options.algorithm)),
      gauge_(options.dimension, gauge_units(options), options.outliers == Outliers::kBound),
      first_(options.outliers == Outliers::kBound || begins_from_origin_, most_first_numbers(options)) {}

// For a value that is left out, where takes_means(); NaN: as if it were missing.
double Learner::in_place_of(Attribute i) const {
  const Moment moment = sampling_row(i).moment;
  return moment.count == 0 ? std::nan("") : moment.mean;
}

// False: the learner gets nothing of it.
bool Learner::gauge_example(const Plan& plan, std::span<const double> values, double& label) {
  using Verdict = ValueGauge::Verdict;
  gauge_.begin_example(values, label);
  const Verdict verdict = judge_labels(label);
  if (verdict == Verdict::kLeaveOut) return false;
  if (verdict == Verdict::kBegin) refute_label();
  gauged_.assign(values.begin(), values.end());
  std::size_t there = 0;
  bool is_whole = true;
  for (std::size_t a = 0; a < gauged_.size(); ++a) {
    if (std::isnan(gauged_[a])) continue;
    const Attribute i = plan.attributes[a];
    if (features_.has_indicators(i)) {  // codes and dates have no unit
      ++there;
      continue;
    }
    switch (gauge_.judge(i, gauged_[a])) {
      case Verdict::kBelieve:
        ++there;
        break;
      case Verdict::kBegin:
        ++there;
        refute_attribute(i);
        break;
      case Verdict::kCut:
        ++there;
        ++counts_.bounded_values;
        break;
      case Verdict::kLeaveOut: {
        ++counts_.bounded_values;
        gauged_[a] = takes_means(*this, plan) ? inward(i, in_place_of(i)) : std::nan("");
        is_whole = is_whole && !std::isnan(gauged_[a]);
        break;
      }
    }
  }
  return !learns_again_ && (is_whole || learns_from_partial()) && (there > 0 || values.empty());
}

// `take_out`: takes outliers out of an example, and says whether it had any. False: no example that is there
// has one, as when the mean that stands for another outlier is refuted, or all outliers are learned from.
template <class TakeOut>
bool Learner::found_out(const TakeOut& take_out) {
  bool is_any = false;
  if (first_.is_open() && options_.outliers == Outliers::kBound)
    first_.for_each([&](FirstExamples::Example& example) {
      is_any = take_out(example) || is_any;
      return true;
    });
  learns_again_ = learns_again_ || is_any;
  return is_any;
}

void Learner::refute_label() {
  const bool is_found = found_out([&](FirstExamples::Example& example) {
    const double before = example.outlying_label;
    for (std::size_t l = 0; l < label_count(); ++l)
      if (of_label(l).gauge_.is_refuted_label(example.labels[l])) example.outlying_label = 1.0 + l;
    return example.outlying_label != before;
  });
  if (is_found) return;
  counts_.left_out += steps_;
  begin_again();
}

void Learner::refute_attribute(Attribute i) {
  const bool is_found = found_out([&](FirstExamples::Example& example) {
    const auto& attributes = example.plan.attributes;
    const auto at = std::ranges::lower_bound(attributes, i) - attributes.begin();
    if (at == std::ssize(attributes) || attributes[at] != i || !gauge_.is_refuted(i, example.values[at]))
      return false;
    example.values[at] = NAN;
    ++example.outliers;
    return true;
  });
  if (is_found) return;
  counts_.bounded_values += static_cast<std::uint64_t>(sampling_row(i).moment.count);
  if (!learns_from_partial()) counts_.left_out += steps_;
  forget_attribute_of_all(i);
  for (std::size_t l = 0; l < label_count(); ++l) of_label(l).begin_from_origin();
}

namespace {

// Of the values that were not found out; NaN: there is none.
double mean_of(FirstExamples& examples, Attribute i) {
  double sum = 0;
  double count = 0;
  examples.for_each([&](const FirstExamples::Example& example) {
    const auto& attributes = example.plan.attributes;
    const auto at = std::ranges::lower_bound(attributes, i) - attributes.begin();
    if (at == std::ssize(attributes) || attributes[at] != i || std::isnan(example.values[at])) return true;
    sum += example.values[at];
    ++count;
    return true;
  });
  return sum / count;
}

}  // namespace

// The mean of the others stands for one that was found out, where takes_means(). `means`: those
// that were asked for since the last was.
Outcome Learner::learn_first(const FirstExamples::Example& example, std::map<Attribute, double>& means) {
  const auto outliers = static_cast<std::uint64_t>(example.outliers);
  Outcome outcome = Outcome::kMissing;
  counts_.bounded_values += outliers;
  if (example.outlying_label > 0) {
    if (example.outlying_label <= static_cast<double>(label_count())) ++counts_.bounded_labels;
    ++counts_.missing;
    counts_.attributes_revealed += outliers;
  } else {
    std::vector<double> values = example.values;
    const auto is_missing = [](double x) { return std::isnan(x); };
    const auto missing = static_cast<std::uint64_t>(std::ranges::count_if(values, is_missing));
    for (std::size_t a = 0; takes_means(*this, example.plan) && missing == outliers && a < values.size(); ++a)
      if (const Attribute i = example.plan.attributes[a]; std::isnan(values[a])) {
        if (!means.contains(i)) means[i] = mean_of(first_, i);
        values[a] = means[i];
      }
    if (std::ranges::any_of(values, is_missing)) counts_.attributes_revealed += outliers;
    outcome = learn_once(example.plan, values, example.labels, example.importance);
  }
  if (outcome == Outcome::kMissing && outliers + example.outlying_label > 0) {
    --counts_.missing;
    ++counts_.left_out;
    outcome = Outcome::kLeftOut;
  }
  return outcome;
}

// Without what was found out; again as long as more is. Counts become those of a learner that knew it at
// once, but none becomes less.
Outcome Learner::learn_again() {
  const LearnerCounts before = counts_;
  Outcome outcome = Outcome::kLeftOut;
  do {
    first_.count_repeat();
    learns_again_ = false;
    begin_again();
    for (std::size_t l = 0; l < label_count(); ++l) of_label(l).gauge_.clear();
    counts_ = {};
    std::map<Attribute, double> means;
    first_.for_each([&](const FirstExamples::Example& example) {
      outcome = learn_first(example, means);
      return !learns_again_;
    });
  } while (learns_again_);
  raise(counts_, before);
  for (const auto& other : further_) other->counts_ = counts_;
  return outcome;
}

// The first examples are kept until nothing of them can be found out any more, or they are too many. Returns
// what becomes of the newest, of which `outcome` is known. `lacked_origin`: lacks_origin() before the newest.
Outcome Learner::settle(Outcome outcome, bool lacked_origin) {
  const bool is_full = first_.is_full();
  if (lacked_origin && (is_full || !lacks_origin())) choose_origins();
  if (!is_full && !learns_again_ && (first_.size() < kUntilOrigin || !std::has_single_bit(first_.size())))
    return outcome;
  bool is_settled = true;
  for (std::size_t l = 0; !is_classifier() && l < label_count(); ++l) {
    ValueGauge& gauge = of_label(l).gauge_;
    is_settled = is_settled && gauge.is_settled_label();
    if (is_full && gauge.refutes_label()) refute_label();
  }
  for (Attribute i = 0; (is_full || is_settled) && i < options_.dimension; ++i) {
    if (features_.has_indicators(i)) continue;
    is_settled = is_settled && gauge_.is_settled(i);
    if (is_full && gauge_.refutes(i)) refute_attribute(i);
  }
  if (learns_again_) outcome = learn_again();
  if (is_full || is_settled || (options_.outliers == Outliers::kKeep && !lacks_origin())) first_.close();
  return outcome;
}

void Learner::note_label(double label) {
  if (is_classifier()) {
    classes_.add(class_of_example_);
  } else {
    progressive_loss_.add_baseline(label - label_spread_.mean());
  }
  labels_.add(label);
  label_spread_.add(label);
}

// Whether too few labels came yet, or only such as are alike.
bool Learner::lacks_origin() const {
  return first_.size() < kUntilOrigin || !(labels_.min() < labels_.max());
}

bool Learner::waits_for_origin() const {
  const FirstExamples& first = lead_ != nullptr ? lead_->first_ : first_;
  return begins_from_origin_ && first.is_open() && first.size() < kUntilOrigin && labels_.is_far_from_zero();
}

// Whether there is one that this learner has a use for: the mean, in which an outlier that was found out just
// now has a part. It is NaN where nothing was learned yet. Without bounds the gauge passes over zeros.
bool Learner::begin_from_origin() {
  const auto origin = gauge_.label_origin();
  return origin && (options_.outliers == Outliers::kBound || labels_.is_far_from_zero()) &&
         expect_label(std::fmax(origin->low, std::fmin(origin->high, label_spread_.mean())));
}

void Learner::choose_origins() {
  for (std::size_t l = 0; l < label_count(); ++l) learns_again_ |= of_label(l).begin_from_origin();
}

void Learner::choose_origins_now() {
  if (!first_.is_open() || !lacks_origin()) return;
  choose_origins();
  if (learns_again_) learn_again();
}

void Learner::begin_again() {
  ++beginnings_;
  for (const auto& other : further_) other->begin_again();
  forget_everything();
  begin_from_origin();
  labels_ = LabelRange();
  label_spread_ = LabelSpread();
  classes_.clear_counts();
  progressive_loss_.clear();
  importances_ = 0;
  steps_ = 0;
}

double Learner::bounded_importance(double importance) {
  constexpr std::uint64_t kFirstFew = 16;
  if (options_.max_importance && importance > *options_.max_importance) {
    importance = *options_.max_importance;
    ++counts_.bounded_importances;
  }
  if (steps_ >= kFirstFew && importance > importances_) ++counts_.outweighing;
  return importance;
}

// An example of which no value is there still has a label. Without it the mean of the labels would be that of
// the examples of which some were.
void Learner::learn_label_alone(const Plan& plan, std::span<const double> values, double label,
                                double importance) {
  using Verdict = ValueGauge::Verdict;
  gauge_.begin_example(values, label);
  const Verdict verdict = judge_labels(label);
  if (verdict == Verdict::kLeaveOut) return;
  if (verdict == Verdict::kBegin) refute_label();
  if (learns_again_) return;
  importance = bounded_importance(importance);
  const auto learn = [&](Learner& learner, double y) {
    learner.judge_unseen(plan, values, y);
    learner.learn_label(y, importance);
    learner.note_label(learner.label_outward(y));
  };
  learn(*this, label);
  for (std::size_t l = 0; l < further_.size(); ++l) learn(*further_[l], other_labels_[l]);
}

// What the values of an example are, before anything is made of them.
struct Learner::Look {
  std::size_t missing = 0;
  std::size_t beyond = 0;  // values beyond kLargestMagnitude
  bool out_of_range = false;
  bool is_ordinary = true;  // all of them, and the label
  bool is_counted = true;   // to count the values would change nothing
};

Learner::Look Learner::look_at(const Plan& plan, std::span<const double> values, double label) const {
  Look look;
  look.out_of_range = !(std::abs(label) <= kLargestMagnitude);
  look.is_ordinary = is_classifier() || gauge_.is_ordinary_label(label);
  for (std::size_t l = 0; l < further_.size(); ++l) {
    look.out_of_range |= !(std::abs(other_labels_[l]) <= kLargestMagnitude);
    look.is_ordinary &= further_[l]->gauge_.is_ordinary_label(other_labels_[l]);
  }
  for (std::size_t a = 0; a < values.size(); ++a) {
    const double value = values[a];
    if (std::abs(value) <= largest_magnitude(plan.attributes[a])) {
      look.is_ordinary &=
          gauge_.is_ordinary(plan.attributes[a], value) || features_.has_indicators(plan.attributes[a]);
      look.is_counted &= gauge_.is_counted(plan.attributes[a], value);
      continue;
    }
    look.is_ordinary = false;
    if (std::isnan(value)) {
      ++look.missing;
    } else {
      ++look.beyond;
    }
  }
  return look;
}

// As missing. No bound follows from them, whatever --outliers says: their products would be no numbers.
std::span<const double> Learner::without_beyond(const Plan& plan, std::span<const double> values) {
  within_.assign(values.begin(), values.end());
  for (std::size_t a = 0; a < within_.size(); ++a) {
    if (!(std::abs(within_[a]) > largest_magnitude(plan.attributes[a]))) continue;
    ++counts_.beyond_values;
    counts_.beyond_attribute = plan.attributes[a];
    within_[a] = NAN;
  }
  return within_;
}

// The values are in gauged_ then. False: the example is to be left out.
bool Learner::gauge_or_begin_again(const Plan& plan, std::span<const double> values, double& label) {
  const double as_given = label;
  const bool is_inside = gauge_example(plan, values, label);
  if (!gauge_.begins_again()) return is_inside;
  first_.close();
  begin_again();
  gauge_.clear();
  label = as_given;
  return gauge_example(plan, values, label);
}

// Zeros tell as little as what is not given, which is 0: so all formats are learned from alike.
Outcome Learner::learn(const Plan& plan, std::span<const double> values, std::span<const double> labels,
                       double importance) {
  ++changes_;
  if (!first_.is_open()) return learn_once(plan, values, labels, importance);
  const bool lacked_origin = lacks_origin();
  first_.add(plan, values, labels, importance);
  Outcome outcome = learn_once(plan, values, labels, importance);
  if (learns_again_) outcome = learn_again();
  return settle(outcome, lacked_origin);
}

Outcome Learner::learn_once(const Plan& plan, std::span<const double> values, std::span<const double> labels,
                            double importance) {
  const double label = labels.front();
  if (!further_.empty()) {
    other_labels_.assign(labels.begin() + 1, labels.end());
    const Outcome outcome = learn_given(plan, values, label, importance);
    for (const auto& other : further_) other->counts_ = counts_;
    return outcome;
  }
  if (!learns_from_entries()) return learn_given(plan, values, label, importance);
  plan_of_entries_.attributes.clear();
  entry_values_.clear();
  for (std::size_t a = 0; a < values.size(); ++a) {
    if (values[a] == 0) continue;
    plan_of_entries_.attributes.push_back(plan.attributes[a]);
    entry_values_.push_back(values[a]);
  }
  counts_.attributes_revealed += values.size() - entry_values_.size();
  return learn_given(plan_of_entries_, entry_values_, label, importance);
}

Outcome Learner::learn_given(const Plan& plan, std::span<const double> values, double label,
                             double importance) {
  if (is_classifier()) {
    const bool is_class = ClassCounts::is_code(label, learns_classes() ? ClassCounts::kMost : 2);
    class_of_example_ = is_class ? static_cast<std::size_t>(label) : 0;
    label = is_class ? label_of_class(class_of_example_) : NAN;
  }
  Look look = look_at(plan, values, label);
  counts_.attributes_revealed += values.size() - look.missing;
  if (look.out_of_range || !(importance <= kLargestMagnitude)) {
    ++counts_.out_of_range;
    return Outcome::kOutOfRange;
  }
  if (look.beyond > 0) {
    values = without_beyond(plan, values);
    look.missing += look.beyond;
  }
  if (look.missing > 0 && (!learns_from_partial() || look.missing == values.size())) {
    if (learns_from_partial() && importance > 0 && importance >= smallest_importance())
      learn_label_alone(plan, values, label, importance);
    ++counts_.missing;
    return Outcome::kMissing;
  }
  // An example of importance 0 counts as none at all, as in Vowpal Wabbit: not for the means either, nor for
  // the phases.
  if (importance == 0 || importance < smallest_importance()) {
    ++counts_.examples;
    return Outcome::kLearned;
  }
  if (look.is_ordinary) {
    if (!is_classifier()) gauge_.count_label(label);
    for (std::size_t l = 0; l < further_.size(); ++l) further_[l]->gauge_.count_label(other_labels_[l]);
    for (std::size_t a = 0; !look.is_counted && a < values.size(); ++a)
      if (!features_.has_indicators(plan.attributes[a])) gauge_.count(plan.attributes[a], values[a]);
    return take_step(plan, values, label, importance);
  }
  if (!gauge_or_begin_again(plan, values, label)) {
    if (!learns_again_) ++counts_.left_out;
    return Outcome::kLeftOut;
  }
  return take_step(plan, gauged_, label, importance);
}

Outcome Learner::take_step(const Plan& plan, std::span<const double> values, double label,
                           double importance) {
  importance = bounded_importance(importance);
  const bool is_possible = further_.empty() || can_step_all(values, label, importance);
  if (is_possible) step_others(plan, values, importance);
  const Outcome outcome = is_possible ? step(plan, values, label, importance) : Outcome::kDiverged;
  if (outcome == Outcome::kDiverged) {
    ++counts_.diverged;
    diverged_ = std::min(diverged_ + 1, 2 * kForGood);
    return outcome;
  }
  if (outcome == Outcome::kLeftOut) {
    ++counts_.left_out;
    return outcome;
  }
  diverged_ -= std::min(diverged_, kStepsAfterAll);
  importances_ += importance;
  ++counts_.examples;
  note_label(label_outward(label));
  ++steps_;
  after_example();
  finish_others();
  if (rise_) adapt();
  return outcome;
}

void Learner::count_loss(double estimate, double effect, bool is_exact) {
  if (!gauge_.plain()) estimate = std::ldexp(estimate, -2 * gauge_.label_exponent());
  // Of classes that are learned as −1 and 1 the loss is that of 0 and 1, as everywhere.
  if (is_classifier()) estimate /= std::pow(label_of_class(1) - label_of_class(0), 2);
  constexpr double kLargestLoss = 1e150;  // its square is a number
  if (!std::isfinite(estimate)) return;
  // Nor is there a model where everything was forgotten with the example before.
  const bool has_model = !labels_.empty() && !(drift_.alarms > 0 && drift_.examples == counts_.examples);
  progressive_loss_.add(std::clamp(estimate, -kLargestLoss, kLargestLoss), effect, has_model);
  if (is_exact && has_model && !is_classifier())
    progressive_loss_.note_exact(std::sqrt(std::max(estimate, 0.0)));
}

void Learner::adapt() {
  first_.close();
  const int exponent = -2 * gauge_.label_exponent();
  drift_ = {drift_.alarms + 1, counts_.examples, std::ldexp(rise_->before, exponent),
            std::ldexp(rise_->after, exponent), drift_.shared};
  forget(*rise_);
  begin_from_origin();
  progressive_loss_.begin_recent();
  for (const auto& other : further_) other->progressive_loss_.begin_recent();
  rise_.reset();
}

void Learner::forget_together(const SharedRise& rise) {
  if (options_.drift == Drift::kOff) return;
  ++changes_;
  if (counts_.examples > 0) {
    const int exponent = 2 * gauge_.label_exponent();
    const double since = std::ceil(std::clamp(rise.since, 0.0, 1.0) * static_cast<double>(counts_.examples));
    rise_ = ChangeDetector::Rise{std::ldexp(rise.before, exponent), std::ldexp(rise.after, exponent),
                                 static_cast<std::uint64_t>(since)};
    adapt();
  }
  drift_ = {rise.number, counts_.examples, rise.before, rise.after, rise.number};
}

void Learner::save(State& state) const {
  state.put_text("learner.options", glimpse::describe(options_));
  counts_.save(state, diverged_);
  state.put_number("learner.importances", importances_);
  gauge_.save(state);
  if (lead_ == nullptr) first_.save(state);
  labels_.save(state);
  label_spread_.save(state);
  classes_.save(state);
  state.put_number("learner.steps", steps_);
  progressive_loss_.save(state);
  if (options_.drift != Drift::kOff) {
    const std::uint64_t alarms[] = {drift_.alarms, drift_.examples};
    state.put_copy<std::uint64_t>("drift.alarms", alarms);
    const double losses[] = {drift_.before, drift_.after};
    state.put_copy<double>("drift.losses", losses);
    if (drift_.shared > 0) state.put_number("drift.shared", drift_.shared);
  }
  features_.save(state);
  save_state(state);
  save_others(state);
}

Status Learner::restore(const State& state) {
  ++changes_;
  const auto text = state.get_text("learner.options");
  if (!text) return text.error();
  const std::string mine = glimpse::describe(options_);
  if (const std::string_view line = line_without_match(mine, *text); !line.empty()) {
    const std::string_view theirs = line_of(*text, line.substr(0, line.find('=') + 1));
    return failure(ErrorCode::kMismatch, "the checkpoint was made with {}, but this start asks for {}",
                   theirs.empty() ? "another version's or the default options" : theirs, line);
  }
  // Some options are described only where they are not what an older version had.
  if (const std::string_view line = line_without_match(*text, mine); !line.empty())
    return failure(ErrorCode::kMismatch,
                   "the checkpoint was made with {}, but this start does not ask for it", line);
  if (const Status status = check_state(state); !status) return status;
  if (const Status status = counts_.restore(state, options_.dimension, diverged_); !status)
    return status.error();
  const auto importances =
      state.get_number<double>("learner.importances", static_cast<double>(counts_.examples));
  if (!importances) return importances.error();
  importances_ = *importances;
  if (const Status status = gauge_.restore(state); !status) return status;
  const LearnerCounts& c = counts_;
  const bool is_new = c.examples + c.missing + c.out_of_range + c.diverged + c.left_out == 0;
  if (const Status status = first_.restore(state, options_.dimension, label_count(), is_new); !status)
    return status;
  if (const Status status = labels_.restore(state, counts_.examples); !status) return status;
  if (const Status status = label_spread_.restore(state); !status) return status;
  if (const Status status = classes_.restore(state, counts_.examples); !status) return status;
  // The first builds' phases went by the examples.
  const auto steps = state.get_number<std::uint64_t>("learner.steps", counts_.examples);
  if (!steps) return steps.error();
  // What is due at fixed counts is found by doubling, which must not come to an end of the numbers.
  if (counts_.examples > kMostExamples || *steps > kMostExamples)
    return failure(ErrorCode::kCorrupt, "the state is of {} examples and {} steps: no stream is that long",
                   counts_.examples, *steps);
  steps_ = *steps;
  if (const Status status = progressive_loss_.restore(state); !status) return status;
  if (options_.drift != Drift::kOff) {
    const auto alarms = state.get<std::uint64_t>("drift.alarms", 2);
    if (!alarms) return alarms.error();
    const auto losses = state.get<double>("drift.losses", 2);
    if (!losses) return losses.error();
    const auto shared = state.get_number<std::uint64_t>("drift.shared", 0);
    if (!shared) return shared.error();
    drift_ = {(*alarms)[0], (*alarms)[1], (*losses)[0], (*losses)[1], *shared};
  }
  if (const Status status = features_.restore(state); !status) return status;
  if (!features_.is_plain() && !learns_categories())
    return failure(ErrorCode::kCorrupt, "the state has categories, which {} does not learn from",
                   options_.algorithm);
  if (const Status status = restore_state(state); !status) return status;
  return restore_others(state);
}

}  // namespace glimpse
