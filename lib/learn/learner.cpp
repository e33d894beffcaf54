#include "learn/learner.h"

#include <cmath>

namespace glimpse {

Outcome Learner::learn(const Plan& plan, std::span<const double> values, double label, double importance) {
  bool out_of_range = !(std::abs(label) <= kLargestMagnitude);
  std::size_t missing = 0;
  for (const double value : values) {
    if (std::isnan(value)) {
      ++missing;
    } else if (!(std::abs(value) <= kLargestMagnitude)) {
      out_of_range = true;
    }
  }
  counts_.attributes_revealed += values.size() - missing;
  if (out_of_range) {
    ++counts_.out_of_range;
    return Outcome::kOutOfRange;
  }
  if (missing > 0 && (!learns_from_partial() || missing == values.size())) {
    ++counts_.missing;
    return Outcome::kMissing;
  }
  // An example of importance 0 counts as none at all, as in Vowpal Wabbit: not for the means either, nor for
  // the phases.
  if (importance == 0) {
    ++counts_.examples;
    return Outcome::kLearned;
  }
  const Outcome outcome = step(plan, values, label, importance);
  if (outcome == Outcome::kDiverged) {
    ++counts_.diverged;
    return outcome;
  }
  ++counts_.examples;
  labels_.add(label);
  ++steps_;
  after_example();
  if (rise_) adapt();
  return outcome;
}

void Learner::count_loss(double estimate) {
  if (!std::isfinite(estimate)) return;
  progressive_loss_.add(estimate);
  if (options_.drift == Drift::kOff || !watches_progressive_loss()) return;
  if (const auto rise = detector_.add(estimate)) note_rise(*rise);
}

void Learner::adapt() {
  drift_ = {drift_.alarms + 1, counts_.examples, rise_->before, rise_->after};
  forget(*rise_);
  progressive_loss_.begin_recent();
  rise_.reset();
}

void Learner::save(State& state) const {
  state.put_text("learner.options", describe(options_));
  const std::uint64_t counts[] = {counts_.examples, counts_.attributes_revealed, counts_.missing,
                                  counts_.out_of_range, counts_.diverged};
  state.put_copy<std::uint64_t>("learner.counts", counts);
  labels_.save(state);
  state.put_number("learner.steps", steps_);
  progressive_loss_.save(state);
  if (options_.drift != Drift::kOff) {
    detector_.save(state, "drift.detector");
    const std::uint64_t alarms[] = {drift_.alarms, drift_.examples};
    state.put_copy<std::uint64_t>("drift.alarms", alarms);
    const double losses[] = {drift_.before, drift_.after};
    state.put_copy<double>("drift.losses", losses);
  }
  save_state(state);
}

Status Learner::restore(const State& state) {
  const auto text = state.get_text("learner.options");
  if (!text) return text.error();
  const std::string mine = describe(options_);
  // Name the first option that differs.
  for (std::size_t begin = 0; begin < mine.size();) {
    const std::size_t end = mine.find('\n', begin);
    const std::string_view line = std::string_view(mine).substr(begin, end - begin);
    const std::string_view key = line.substr(0, line.find('=') + 1);
    const std::size_t place = text->find(key);
    const std::string_view theirs =
        place == std::string_view::npos ? "" : text->substr(place, text->find('\n', place) - place);
    if (theirs != line)
      return failure(ErrorCode::kMismatch, "the checkpoint was made with {}, but this start asks for {}",
                     theirs.empty() ? "another version's options" : theirs, line);
    begin = end + 1;
  }
  const auto counts = state.get<std::uint64_t>("learner.counts", 5);
  if (!counts) return counts.error();
  counts_ = {(*counts)[0], (*counts)[1], (*counts)[2], (*counts)[3], (*counts)[4]};
  if (const Status status = labels_.restore(state, counts_.examples); !status) return status;
  // The first builds' phases went by the examples.
  const auto steps = state.get_number<std::uint64_t>("learner.steps", counts_.examples);
  if (!steps) return steps.error();
  steps_ = *steps;
  if (const Status status = progressive_loss_.restore(state); !status) return status;
  if (options_.drift != Drift::kOff) {
    if (const Status status = detector_.restore(state, "drift.detector"); !status) return status;
    const auto alarms = state.get<std::uint64_t>("drift.alarms", 2);
    if (!alarms) return alarms.error();
    const auto losses = state.get<double>("drift.losses", 2);
    if (!losses) return losses.error();
    drift_ = {(*alarms)[0], (*alarms)[1], (*losses)[0], (*losses)[1]};
  }
  return restore_state(state);
}

}  // namespace glimpse
