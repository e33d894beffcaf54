#include "daemon/statistics/learner_watch.h"

#include <algorithm>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "daemon/statistics/statistics.h"
#include "data/text/text.h"

namespace glimpse {

const char* advice_for_diverged(StepKind step) {
  switch (step) {
    case StepKind::kAuto:
      return "look for labels, importances or attributes that are out of all proportion to the others";
    case StepKind::kTheory:
      return "--step theory is for inputs of norm up to 1; scale the inputs, or use --step auto";
    case StepKind::kNumber:
    case StepKind::kAdaGrad:
      break;
  }
  return "lower --step, or use --step auto";
}

std::string divergence(const Statistics& s) {
  if (!s.diverged_for_good) return {};
  return fmt::format(
      "{} has diverged: its weights are so large that no further step can be taken, and nothing more is "
      "learned; {}, and start on a new --state-directory",
      s.algorithm, advice_for_diverged(s.step_kind));
}

void LearnerWatch::note(const Statistics& s) {
  const std::uint64_t values = s.counts.bounded_values - logged_.bounded_values;
  const std::uint64_t labels = s.counts.bounded_labels - logged_.bounded_labels;
  const std::uint64_t left_out = s.counts.left_out - logged_.left_out;
  if (values + labels + left_out > 0)
    log_.warn(fmt::format(
        "left out {} value{} and {} label{} far outside the range of all others, and {} "
        "example{} with them (up to example {}); where they are right, --outliers keep learns them",
        values, values == 1 ? "" : "s", labels, labels == 1 ? "" : "s", left_out, left_out == 1 ? "" : "s",
        s.counts.examples));
  if (const std::uint64_t beyond = s.counts.beyond_values - logged_.beyond_values; beyond > 0)
    log_.warn(fmt::format(
        "{} value{} beyond {:g} count{} as missing (example {}), the last of attribute {}; scale what has "
        "such values, or leave it out (--ignore)",
        beyond, beyond == 1 ? "" : "s", kLargestMagnitude, beyond == 1 ? "s" : "", s.counts.examples,
        in_quotes(s.beyond_attribute)));
  if (s.counts.outweighing > logged_.outweighing)
    log_.warn(
        fmt::format("{} example{} up to example {} had an importance above that of all before together; "
                    "--max-importance bounds it",
                    s.counts.outweighing - logged_.outweighing,
                    s.counts.outweighing - logged_.outweighing == 1 ? "" : "s", s.counts.examples));
  logged_ = s.counts;
  if (s.diverged_for_good && !diverged_) spdlog::error("{}", divergence(s));
  diverged_ = s.diverged_for_good;
  if (s.categories_full && !categories_full_)
    spdlog::warn(
        "no weights for more categories from example {} on: {}; new categories get no weight of their own",
        s.counts.examples,
        screens(s.algorithm) ? "pairwise-screened has room for 1,024 at most; --algorithm pairwise has more"
                             : "--pair-memory is full; raise it, or --ignore columns of many words");
  categories_full_ = s.categories_full;
  note_served(s);
  if (are_too_small(s.labels) && !has_small_labels_)
    spdlog::warn(
        "all labels are nearer to 0 than {:g} (example {}): they are learned, but no loss can be reported, "
        "as squares of such small errors cannot be added up; multiply the labels by a power of ten",
        kSmallestTold, s.counts.examples);
  has_small_labels_ = are_too_small(s.labels);
  note_bias(s);
  const bool lacks = s.expansion && s.expansion->lacking > 0;
  if (lacks && !lacks_features_)
    spdlog::warn(
        "the table of products is full with {} (example {}): further products of attributes have no weight; "
        "raise --max-features, or lower --expansion-exponent",
        s.expansion->products, s.counts.examples);
  lacks_features_ = lacks;
}

// Of fewer examples labels may be alike by chance.
void LearnerWatch::note_bias(const Statistics& s) {
  constexpr std::uint64_t kFewest = 32;
  if (s.has_bias || lacks_bias_ || s.counts.examples < kFewest) return;
  const auto warn = [this, &s](const LabelRange& labels, const std::string& name) {
    if (lacks_bias_ || !labels.is_far_from_zero()) return;
    lacks_bias_ = true;
    spdlog::warn(
        "the label{} lies between {} and {} (example {}), far from 0, and a model without a bias is 0 where "
        "all attributes are 0: R2 may stay far below 0; start with --bias on and a new --state-directory",
        name, labels.min(), labels.max(), s.counts.examples);
  };
  for (const LabelFacts& label : s.by_label) warn(label.labels, " " + in_quotes(label.name));
  warn(s.labels, "");
}

void LearnerWatch::note_served(const Statistics& s) {
  served_.resize(std::max<std::size_t>(s.by_label.size(), 1), Served::kNewest);
  if (s.by_label.empty()) return note_served({}, s.guard, s.counts.examples, served_.front());
  for (std::size_t l = 0; l < s.by_label.size(); ++l)
    note_served(fmt::format("label {}: ", s.by_label[l].name), s.by_label[l].guard, s.counts.examples,
                served_[l]);
}

void LearnerWatch::note_served(const std::string& of_label, const GuardReport& guard, std::uint64_t examples,
                               Served& served) {
  // Errors that differ by rounding alone are worth no warning: both predict the mean.
  const Served now = guard.excess == 0 ? Served::kNewest : guard.served;
  if (now == served) return;
  served = now;
  if (served == Served::kNewest) {
    log_.warn(fmt::format("{}the newest model answers again (example {})", of_label, examples));
    return;
  }
  const std::string other = served == Served::kMean
                                ? "the mean of the labels"
                                : fmt::format("the model of example {}", guard.model_examples);
  log_.warn(
      fmt::format("{}the newest model is withheld (example {}): over {} examples its squared error is {:.3g} "
                  "+- {:.2g} above "
                  "that of predicting the mean of the labels; {} answers until it is better",
                  of_label, examples, guard.judged, guard.excess, guard.standard_error, other));
}

}  // namespace glimpse
