#include "daemon/progress_table.h"

#include <fmt/format.h>

namespace glimpse {

namespace {
std::uint64_t power_above(std::uint64_t n) {
  std::uint64_t power = 1;
  while (power <= n) power *= 2;
  return power;
}

// "-" where there is nothing to take a mean of.
std::string mean(const ProgressiveLoss::Part& loss) {
  return loss.count > 0 ? fmt::format("{:.4g}", loss.mean) : "-";
}
std::string error(const ProgressiveLoss::Part& loss) {
  return loss.count > 1 ? fmt::format("{:.2g}", loss.standard_error()) : "-";
}
// "0.912", and in a column of its own its standard error.
std::string r2(const ProgressiveLoss::Part& loss, double variance) {
  const LossShare share = share_of(loss.mean, loss.standard_error(), variance);
  const std::string error = loss.count > 1 ? fmt::format("{:.2g}", share.error) : "-";
  return loss.count > 0 && share.is_known() ? fmt::format("{:6.3f} {:>7}", share.r2(), error)
                                            : fmt::format("{:>6} {:>7}", "-", "-");
}
// "0.083", and in a column of its own its standard error.
std::string wrong(const ProgressiveLoss::Part& part) {
  return part.count > 0 ? fmt::format("{:6.3f} {:>7}", part.mean, error(part))
                        : fmt::format("{:>6} {:>7}", "-", "-");
}
// How well probabilities were, without their errors.
std::string probabilities(const ProgressiveLoss::Part& log_loss, const ProgressiveLoss::Part& brier) {
  const auto text = [](const ProgressiveLoss::Part& part) {
    return part.count > 0 ? fmt::format("{:.3f}", part.mean) : "-";
  };
  return fmt::format(" {:>7} {:>6}", text(log_loss), text(brier));
}
}  // namespace

ProgressTable::Shown ProgressTable::shown(const HeldOut& held_out) {
  if (!held_out.classes) return {held_out.loss, {}, {}};
  const ClassReport& classes = *held_out.classes;
  return {classes.wrong().total(), classes.log_loss().total(), classes.brier().total()};
}

ProgressTable::ProgressTable(const Learner& learner, const HeldOut& held_out)
    : next_(power_above(learner.counts().examples)),
      last_(learner.progressive_loss().total()),
      last_held_out_(shown(held_out)) {}

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
  return losses("loss", "loss since", "standard", "R2", "its", are_classes ? "wrong" : "R2", "its", "log",
                "Brier") +
         rest("examples", "attributes", "current", "", "effective", steps ? "step" : "examples") +
         losses("so far", "last row", "error", "since", "error", "h. out", "error", "loss", "score") +
         rest("learned", "revealed", "label", "phase", "attributes", steps ? "size" : "in model");
}

std::string ProgressTable::row(const Learner& learner, std::string_view label,
                               const std::optional<HeldOut>& held_out) {
  const ProgressiveLoss::Part& loss = learner.progressive_loss().total();
  const ProgressiveLoss::Part fresh = loss.since(last_);
  const LearnerReport report = learner.describe();
  const std::string last = has_step(learner.options().algorithm) ? fmt::format("{:.3g}", report.step_size)
                           : report.origin                       ? fmt::format("{}", report.origin->examples)
                                                                 : "-";
  const double variance = learner.label_variance();
  std::string row =
      fmt::format("{:>9} {:>11} {:>9} {}", mean(loss), mean(fresh), error(fresh), r2(fresh, variance));
  if (held_out) {
    const Shown now = shown(*held_out);
    const ProgressiveLoss::Part since = now.error.since(last_held_out_.error);
    row += " " + (learner.is_classifier() ? wrong(since) : r2(since, variance));
    if (learner.is_classifier())
      row +=
          probabilities(now.log_loss.since(last_held_out_.log_loss), now.brier.since(last_held_out_.brier));
    last_held_out_ = now;
  }
  row += fmt::format(" {:12} {:14} {:>8.8} {:6} {:10.4g}  {}\n", learner.counts().examples,
                     learner.counts().attributes_revealed, label, report.phase, report.looks.effective, last);
  last_ = loss;
  next_ = power_above(learner.counts().examples);
  return row;
}

}  // namespace glimpse
