#include "daemon/training_log.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <utility>

#include "base/units.h"
#include "daemon/support/log_sink.h"
#include "daemon/training/stream_processor.h"
#include "learn/options/algorithms.h"

namespace glimpse {

namespace {

constexpr std::uint64_t kSignsNotedAfter = 100;  // examples

std::uint64_t power_above(std::uint64_t n) {
  std::uint64_t power = 1;
  while (power <= n) power *= 2;
  return power;
}

// "-" where there is nothing to take a mean of.
std::string mean(const ProgressiveLoss::Part& loss) {
  return loss.count > 0 ? fmt::format("{:.4g}", loss.reported().value()) : "-";
}
std::string error(const ProgressiveLoss::Part& loss) {
  return loss.count > 1 ? fmt::format("{:.2g}", loss.standard_error()) : "-";
}
// "0.912", and in a column of its own its standard error.
std::string r2(const ProgressiveLoss::Part& loss, double variance) {
  const LossShare share = share_of(loss, variance);
  const std::string error = loss.count > 1 ? fmt::format("{:.2g}", share.error) : "-";
  return loss.count > 0 && share.is_known() ? fmt::format("{:>6} {:>7}", fixed_text(share.r2(), 3), error)
                                            : fmt::format("{:>6} {:>7}", "-", "-");
}
// "0.083", and in a column of its own its standard error.
std::string wrong_share(const ProgressiveLoss::Part& part) {
  return part.count > 0 ? fmt::format("{:>6} {:>7}", fixed_text(part.mean, 3), error(part))
                        : fmt::format("{:>6} {:>7}", "-", "-");
}
// How well probabilities were, without their errors.
std::string probabilities(const ProgressiveLoss::Part& log_loss, const ProgressiveLoss::Part& brier) {
  const auto text = [](const ProgressiveLoss::Part& part) {
    return part.count > 0 ? fixed_text(part.mean, 3) : "-";
  };
  return fmt::format(" {:>7} {:>6}", text(log_loss), text(brier));
}
}  // namespace

ProgressTable::ProgressTable(const Learner& learner) : next_(power_above(learner.counts().examples)) {}

std::string ProgressTable::header(bool steps, bool holds_out, bool are_classes) {
  const auto losses = [&](const char* a, const char* b, const char* c, const char* d, const char* e,
                          const char* f, const char* g, const char* h, const char* i) {
    return fmt::format("{:>9} {:>11} {:>9} {:>6} {:>7}", a, b, c, d, e) +
           (holds_out ? fmt::format(" {:>6} {:>7}", f, g) : "") +
           (holds_out && are_classes ? fmt::format(" {:>7} {:>6}", h, i) : "");
  };
  const auto rest = [](const char* a, const char* b, const char* c, const char* d, const char* e,
                       const char* f) {
    return fmt::format(" {:>12} {:>14} {:>8} {:>6} {:>10}  {}\n", a, b, c, d, e, f);
  };
  return losses("loss", "recent", "standard", "R2", "its", are_classes ? "wrong" : "R2", "its", "log",
                "Brier") +
         rest("examples", "attributes", "current", "", "effective", steps ? "step" : "examples") +
         losses("so far", "loss", "error", "recent", "error", "h. out", "error", "loss", "score") +
         rest("learned", "revealed", "label", "phase", "attributes", steps ? "size" : "in model");
}

std::string ProgressTable::row(const Learner& learner, std::string_view label,
                               const std::optional<HeldOut>& held_out) {
  const ProgressiveLoss::Part recent = learner.progressive_loss().recent();
  const LearnerReport report = learner.describe();
  const std::string last = has_step(learner.options().algorithm) ? fmt::format("{:.3g}", report.step_size)
                           : report.origin                       ? fmt::format("{}", report.origin->examples)
                                                                 : "-";
  const double variance = learner.label_variance();
  std::string row = fmt::format("{:>9} {:>11} {:>9} {}", mean(learner.progressive_loss().with_model()),
                                mean(recent), error(recent), r2(recent, variance));
  if (held_out) {
    const ClassReport* const classes = held_out->classes.get();
    if (classes != nullptr)
      row += " " + wrong_share(classes->wrong().recent()) +
             probabilities(classes->log_loss().recent(), classes->brier().recent());
    else
      row += " " + (learner.is_classifier() ? wrong_share({}) + probabilities({}, {})
                                            : r2(held_out->recent, variance));
  }
  row += fmt::format(" {:12} {:14} {:>8.8} {:6} {:10.4g}  {}\n", learner.counts().examples,
                     learner.counts().attributes_revealed, label, report.phase, report.looks.effective, last);
  next_ = power_above(learner.counts().examples);
  return row;
}

namespace {
std::string shares(const DriftReport& drift, double variance) {
  const LossShare before = share_of(drift.before, 0, variance);
  const LossShare after = share_of(drift.after, 0, variance);
  if (!before.is_known()) return {};
  return fmt::format(" ({:.2g} to {:.2g} of the labels' variance)", before.value(), after.value());
}
}  // namespace

TrainingLog::TrainingLog(StreamProcessor& processor, bool progress, const ClassOptions& options)
    : processor_(processor),
      progress_(progress),
      max_classes_(options.most == ClassOptions::kUsualMost ? 0 : options.most),
      may_be_signs_(options.task == Task::kAuto && processor.learner().counts().examples < kSignsNotedAfter),
      table_(processor.learner()),
      watch_(processor.learner().counts()),
      drift_alarms_(processor.learner().drift().alarms),
      phase_(processor.learner().describe().phase),
      best_since_(processor.learner().describe().best_since) {
  if (processor.buying().stopped()) note_spent();  // before the restart
  const std::size_t classes = processor.names().categories().label_words().size();
  if (max_classes_ > 0 && processor.learner().is_classifier() && classes > max_classes_)
    spdlog::warn(
        "--max-classes {}: the checkpoint has {} classes, which all stay; records of further ones are "
        "refused",
        max_classes_, classes);
}

void TrainingLog::note_error(const Feed& feed, const RecordError& error) {
  errors_.warn(fmt::format("{}: line {}: {}", feed.door->name, error.record, error.message));
}

void TrainingLog::note_learned(double label) {
  const Learner& learner = processor_.learner();
  if (const DriftReport& drift = learner.drift(); drift.alarms != drift_alarms_) {
    drift_alarms_ = drift.alarms;
    spdlog::warn(
        "the stream has changed: the mean squared error rose from {:.4g} to {:.4g}{}; noticed after {} "
        "examples, and what was learned before is forgotten (--drift auto)",
        std::max(drift.before, 0.0), drift.after, shares(drift, learner.label_variance()), drift.examples);
  }
  if (!progress_ || !table_.due(learner.counts().examples)) return;
  if (!std::exchange(has_header_, true))  // now it is known whether labels are classes
    write_to_log(ProgressTable::header(has_step(learner.options().algorithm), processor_.hold_out().is_used(),
                                       learner.is_classifier()));
  const auto& words = processor_.names().categories().label_words();
  const auto code = static_cast<std::size_t>(std::max(label, 0.0));
  const bool is_class = learner.is_classifier() && code < words.size();
  const std::string text = is_class ? class_text(words[code]) : fmt::format("{:.4g}", label);
  write_to_log(table_.row(learner, text, shown_held_out()));
}

std::optional<HeldOut> TrainingLog::shown_held_out() const {
  if (!processor_.hold_out().is_used()) return std::nullopt;
  return processor_.hold_out().report();
}

// The variance of labels within [-1, 1] is 1 - mean² where each is an end of it, and less otherwise.
void TrainingLog::note_signs() {
  const Learner& learner = processor_.learner();
  if (!may_be_signs_ || learner.counts().examples < kSignsNotedAfter) return;
  may_be_signs_ = false;
  const LabelSpread& spread = learner.label_spread();
  const double mean = spread.mean();
  if (!learner.is_classifier() && learner.label_count() == 1 && learner.labels().min() == -1 &&
      learner.labels().max() == 1 && std::abs(spread.variance() - (1 - mean * mean)) < 1e-9)
    spdlog::warn(
        "all labels are -1 or 1, which are numbers here; --task classes learns the probability of each "
        "instead");
}

void TrainingLog::note_published(const Statistics& statistics) {
  note_signs();
  watch_.note(statistics);
  if (statistics.counts.examples > 0)
    if (const std::size_t most = std::exchange(max_classes_, 0);
        most > 0 && !processor_.learner().is_classifier())
      spdlog::warn(
          "--max-classes {} has no effect: the labels are numbers; --task classes takes them for names",
          most);
  const std::uint64_t best_since = statistics.best ? statistics.best_since : 0;
  if (statistics.phase == phase_ && best_since == best_since_) return;
  phase_ = statistics.phase;
  best_since_ = best_since;
  spdlog::info("{}", phase_report(statistics));
}

void TrainingLog::note_promoted() {
  const Learner& learner = processor_.learner();
  table_ = ProgressTable(learner);
  watch_.note_replaced(learner.counts());
  drift_alarms_ = learner.drift().alarms;
}

void TrainingLog::note_spent() const {
  const SpendingReport r = processor_.buying().report();
  spdlog::warn(
      "the budget is spent: {} attributes were bought for {}, and {} for {} are promised to open plans; "
      "further labelled examples are skipped until a restart with a larger --total-budget or --total-cost",
      r.attributes, format_money(r.cost), r.attributes_reserved, format_money(r.cost_reserved));
}

}  // namespace glimpse
