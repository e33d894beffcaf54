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
std::string r2(const ProgressiveLoss::Part& loss, double variance) {
  const LossShare share = share_of(loss.mean, loss.standard_error(), variance);
  return loss.count > 0 && share.is_known() ? fmt::format("{:.3f}", share.r2()) : "-";
}
}  // namespace

ProgressTable::ProgressTable(const Learner& learner)
    : next_(power_above(learner.counts().examples)), last_(learner.progressive_loss().total()) {}

std::string ProgressTable::header(bool steps) {
  const auto line = [](const char* a, const char* b, const char* c, const char* d, const char* e,
                       const char* f, const char* g, const char* h, const char* i, const char* j) {
    return fmt::format("{:>9} {:>11} {:>9} {:>6} {:>12} {:>14} {:>8} {:>6} {:>10}  {}\n", a, b, c, d, e, f, g,
                       h, i, j);
  };
  return line("loss", "loss since", "standard", "R2", "examples", "attributes", "current", "", "effective",
              steps ? "step" : "examples") +
         line("so far", "last row", "error", "since", "learned", "revealed", "label", "phase", "attributes",
              steps ? "size" : "in model");
}

std::string ProgressTable::row(const Learner& learner, double label) {
  const ProgressiveLoss::Part& loss = learner.progressive_loss().total();
  const ProgressiveLoss::Part fresh = loss.since(last_);
  const LearnerReport report = learner.describe();
  const std::string last = has_step(learner.options().algorithm) ? fmt::format("{:.3g}", report.step_size)
                           : report.origin                       ? fmt::format("{}", report.origin->examples)
                                                                 : "-";
  std::string row =
      fmt::format("{:>9} {:>11} {:>9} {:>6} {:12} {:14} {:8.4g} {:6} {:10.4g}  {}\n", mean(loss), mean(fresh),
                  error(fresh), r2(fresh, learner.label_spread().variance()), learner.counts().examples,
                  learner.counts().attributes_revealed, label, report.phase, report.looks.effective, last);
  last_ = loss;
  next_ = power_above(learner.counts().examples);
  return row;
}

}  // namespace glimpse
