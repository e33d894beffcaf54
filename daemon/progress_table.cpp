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
  return loss.count > 0 ? fmt::format("{:.4g}", loss.reported().value()) : "-";
}
std::string error(const ProgressiveLoss::Part& loss) {
  return loss.count > 1 ? fmt::format("{:.2g}", loss.standard_error()) : "-";
}
// "0.912", and in a column of its own its standard error.
std::string r2(const ProgressiveLoss::Part& loss, double variance) {
  const LossShare share = share_of(loss, variance);
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
      row += " " + wrong(classes->wrong().recent()) +
             probabilities(classes->log_loss().recent(), classes->brier().recent());
    else
      row += " " +
             (learner.is_classifier() ? wrong({}) + probabilities({}, {}) : r2(held_out->recent, variance));
  }
  row += fmt::format(" {:12} {:14} {:>8.8} {:6} {:10.4g}  {}\n", learner.counts().examples,
                     learner.counts().attributes_revealed, label, report.phase, report.looks.effective, last);
  next_ = power_above(learner.counts().examples);
  return row;
}

}  // namespace glimpse
