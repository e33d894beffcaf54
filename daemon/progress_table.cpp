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
const ProgressiveLoss::Part& shown(const HeldOut& held_out) {
  return held_out.classes ? held_out.classes->wrong().total() : held_out.loss;
}
}  // namespace

ProgressTable::ProgressTable(const Learner& learner, const HeldOut& held_out)
    : next_(power_above(learner.counts().examples)),
      last_(learner.progressive_loss().total()),
      last_held_out_(shown(held_out)) {}

std::string ProgressTable::header(bool steps, bool holds_out, bool are_classes) {
  const auto losses = [&](const char* a, const char* b, const char* c, const char* d, const char* e,
                          const char* f, const char* g) {
    return fmt::format("{:>9} {:>11} {:>9} {:>6} {:>7}", a, b, c, d, e) +
           (holds_out ? fmt::format(" {:>6} {:>7}", f, g) : "");
  };
  const auto rest = [](const char* a, const char* b, const char* c, const char* d, const char* e,
                       const char* f) {
    return fmt::format(" {:>12} {:>14} {:>8} {:>6} {:>10}  {}\n", a, b, c, d, e, f);
  };
  return losses("loss", "loss since", "standard", "R2", "its", are_classes ? "wrong" : "R2", "its") +
         rest("examples", "attributes", "current", "", "effective", steps ? "step" : "examples") +
         losses("so far", "last row", "error", "since", "error", "h. out", "error") +
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
    const ProgressiveLoss::Part since = shown(*held_out).since(last_held_out_);
    row += " " + (learner.is_classifier() ? wrong(since) : r2(since, variance));
    last_held_out_ = shown(*held_out);
  }
  row += fmt::format(" {:12} {:14} {:>8.8} {:6} {:10.4g}  {}\n", learner.counts().examples,
                     learner.counts().attributes_revealed, label, report.phase, report.looks.effective, last);
  last_ = loss;
  next_ = power_above(learner.counts().examples);
  return row;
}

}  // namespace glimpse
