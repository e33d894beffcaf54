#include "daemon/summary.h"

#include <cmath>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/units.h"
#include "daemon/statistics/learner_watch.h"
#include "data/text/text.h"
#include "report/units.h"

namespace glimpse {

std::string why_nothing_was_learned(const Statistics& s) {
  std::uint64_t learned = 0;
  std::uint64_t predictions = 0;
  std::uint64_t errors = 0;
  for (const Door& door : s.doors) {
    learned += door.examples + door.frozen;  // which were not to be
    predictions += door.predictions;
    errors += door.parse_errors;
  }
  const std::uint64_t skipped =
      s.counts.missing + s.counts.out_of_range + s.counts.diverged + s.counts.left_out;
  const bool is_new = s.counts.examples == 0;  // nor was anything before this run
  if (learned > 0 || (!is_new && (errors == 0 || predictions > 0))) return {};
  if (errors > 0 && predictions == 0)
    return fmt::format("none of {} record{} could be read; the first warning above says why", errors,
                       errors == 1 ? "" : "s");
  if (errors > 0)
    return fmt::format("records that could not be read: {}; without a label: {}", errors, predictions);
  if (predictions > 0)
    return fmt::format("none of {} record{} had a label; --label says which column of a table it is",
                       predictions, predictions == 1 ? "" : "s");
  if (skipped > 0)
    return fmt::format("all examples were skipped: {} in all, {} of them as values were missing", skipped,
                       s.counts.missing);
  if (s.is_spent) return "--total-budget or --total-cost allows no example: raise it, or lower --budget";
  return "the input has no record";
}

namespace {

std::string loss(const ProgressiveLoss::Part& part) {
  const NonNegative loss = part.reported();
  if (std::isnan(loss.estimate)) return "unknown";
  return fmt::format("{:.6g}", loss.value()) + (part.count > 1 ? fmt::format(" +- {:.2g}", loss.error) : "");
}

std::string root(const ProgressiveLoss::Part& part) {
  return part.count > 0 ? fmt::format("{:.4g}", part.reported().root()) : "unknown";
}

std::string r2_text(const ProgressiveLoss::Part& part, double variance) {
  const LossShare share = share_of(part, variance);
  if (!share.is_known()) return "unknown";
  const double r2 = share.r2();
  return (std::abs(r2) < 1000 ? fixed_text(r2, 3) : fmt::format("{:.3g}", r2)) +
         (part.count > 1 ? fmt::format(" +- {:.2g}", share.error) : "");
}

// Where the recent examples are all there are, both are one number, beside the same variance.
const ProgressiveLoss::Part& recent_or_all(const ProgressiveLoss::Part& recent,
                                           const ProgressiveLoss::Part& all) {
  return recent.count == all.count ? all : recent;
}

// Of records that were looked at whole.
std::string absolute_errors(double mean, double median) {
  return std::isnan(mean) ? ""
                          : fmt::format("; mean absolute error {:.4g}, median {}", mean, two_digits(median));
}

// Of classes there is no absolute error, and no error that has a unit.
std::string unlearned(const UnlearnedLoss& records, double variance) {
  const ProgressiveLoss::Part& recent = recent_or_all(records.recent, records.loss);
  std::string text = fmt::format("loss {}, recently {}; R2 {}, recently {}", loss(records.loss), loss(recent),
                                 r2_text(records.loss, variance), r2_text(recent, variance));
  if (std::isnan(records.mean_absolute)) return text;
  return text + fmt::format("; root mean squared error {}, recently {}", root(records.loss), root(recent)) +
         absolute_errors(records.mean_absolute, records.median_absolute);
}

}  // namespace

void log_summary(const Statistics& s, const CheckpointStatus& checkpoint, StepKind step) {
  std::uint64_t errors = 0;
  for (const Door& door : s.doors) errors += door.parse_errors;
  spdlog::info(
      "finished: {} examples, {} attributes revealed, {} predictions, {} lines that could not be read, {} "
      "examples skipped",
      s.counts.examples, s.counts.attributes_revealed, s.predictions, errors,
      s.counts.missing + s.counts.out_of_range + s.counts.diverged + s.counts.left_out);
  const ProgressiveLoss::Part& recent = recent_or_all(s.recent_loss, s.progressive_loss);
  if (s.progressive_loss.count > 0)
    spdlog::info("progressive loss {}, recently {}{}", loss(s.progressive_loss), loss(recent),
                 s.classes ? ""
                           : fmt::format("; root mean squared error {}, recently {}",
                                         root(s.progressive_loss), root(recent)) +
                                 absolute_errors(s.mean_absolute, s.median_absolute));
  if (s.loss_share(s.progressive_loss).is_known())
    spdlog::info("R2, the part of the labels' variance ({:.4g}) that was predicted: {}, recently {}",
                 s.label_variance, r2_text(s.progressive_loss, s.label_variance),
                 r2_text(recent, s.label_variance));
  if (s.held_out.loss.count > 0)
    spdlog::info("held out: {} examples; {}", s.held_out.records, unlearned(s.held_out, s.label_variance));
  for (const LabelFacts& label : s.by_label) {
    const ProgressiveLoss::Part& late = recent_or_all(label.recent_loss, label.progressive_loss);
    const auto beside = [&](const char* what, const UnlearnedLoss& records) {
      return records.loss.count > 0 ? fmt::format("; {}: {}", what, unlearned(records, label.variance)) : "";
    };
    spdlog::info(
        "label {}: progressive loss {}, R2 {}, recently {}; root mean squared error {}, recently {}{}{}{}",
        label.name, loss(label.progressive_loss), r2_text(label.progressive_loss, label.variance),
        r2_text(late, label.variance), root(label.progressive_loss), root(late),
        absolute_errors(label.mean_absolute, label.median_absolute), beside("held out", label.held_out),
        beside("while frozen", label.frozen));
  }
  if (const ClassReport* const report = s.held_out.classes.get()) {
    const auto mean = [](const ProgressiveLoss& part) {
      return fmt::format("{:.4g}", part.total().mean) +
             (part.total().count > 1 ? fmt::format(" +- {:.2g}", part.total().standard_error()) : "");
    };
    const double calibration = report->calibration_error();
    spdlog::info("held out, by class: wrong {}, log loss {}, Brier score {}{}", mean(report->wrong()),
                 mean(report->log_loss()), mean(report->brier()),
                 std::isnan(calibration) ? "" : fmt::format(", calibration error {:.3g}", calibration));
  }
  if (s.was_frozen)
    spdlog::info("{}: {} labelled examples were not learned from; {}",
                 s.is_frozen ? "frozen" : "while frozen", s.frozen.records,
                 unlearned(s.frozen, s.label_variance));
  if (s.counts.examples > 0) spdlog::info("{}", phase_report(s));
  if (s.drift.alarms > 0)
    spdlog::info("changes of the stream noticed: {}, the last after {} examples", s.drift.alarms,
                 s.drift.examples);
  std::uint64_t odd = 0;
  std::uint64_t filled = 0;
  for (const Door& door : s.doors) {
    odd += door.odd_values;
    filled += door.filled_records;
  }
  if (odd > 0) spdlog::warn("words where numbers are, which counted as missing: {}", odd);
  if (filled > 0)
    spdlog::warn("rows that lacked fields at their end, which counted as missing (--short-rows missing): {}",
                 filled);
  if (s.counts.bounded_values + s.counts.bounded_labels > 0)
    spdlog::warn("left out as far outside the range of all others (--outliers): values {}, labels {}",
                 s.counts.bounded_values, s.counts.bounded_labels);
  if (s.counts.beyond_values > 0)
    spdlog::warn("values beyond {:g} counted as missing: {}, the last of attribute {}", kLargestMagnitude,
                 s.counts.beyond_values, in_quotes(s.beyond_attribute));
  if (s.counts.diverged > 0)
    spdlog::warn("{} steps were too large to take: {}", s.counts.diverged, advice_for_diverged(step));
  if (checkpoint.enabled && checkpoint.last_error.empty()) spdlog::info("state kept in {}", checkpoint.name);
  if (!checkpoint.enabled && s.counts.examples > 0)
    spdlog::info("nothing of this is kept: --state-directory DIR keeps the model");
}

}  // namespace glimpse
