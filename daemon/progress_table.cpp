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
std::string mean(double sum, std::uint64_t count) {
  return count > 0 ? fmt::format("{:.4g}", sum / static_cast<double>(count)) : "-";
}
}  // namespace

ProgressTable::ProgressTable(std::uint64_t examples, double loss_sum, std::uint64_t loss_count)
    : next_(power_above(examples)), sum_(loss_sum), count_(loss_count) {}

std::string ProgressTable::header(bool steps) {
  const auto line = [](const char* a, const char* b, const char* c, const char* d, const char* e,
                       const char* f, const char* g) {
    return fmt::format("{:>9} {:>13} {:>13} {:>15} {:>9} {:>6}  {}\n", a, b, c, d, e, f, g);
  };
  return line("loss", "loss since", "examples", "attributes", "current", "", steps ? "step" : "examples") +
         line("so far", "last row", "learned", "revealed", "label", "phase", steps ? "size" : "in model");
}

std::string ProgressTable::row(const Learner& learner, double label) {
  const ProgressiveLoss& loss = learner.progressive_loss();
  const std::uint64_t fresh = loss.count() - count_;
  const auto model = learner.model_origin();
  const std::string last = has_step(learner.options().algorithm) ? fmt::format("{:.3g}", learner.step_size())
                           : model                               ? fmt::format("{}", model->examples)
                                                                 : "-";
  std::string row = fmt::format("{:>9} {:>13} {:13} {:15} {:9.4g} {:6}  {}\n", mean(loss.sum(), loss.count()),
                                mean(loss.sum() - sum_, fresh), learner.counts().examples,
                                learner.counts().attributes_revealed, label, learner.phase(), last);
  sum_ = loss.sum();
  count_ = loss.count();
  next_ = power_above(learner.counts().examples);
  return row;
}

}  // namespace glimpse
