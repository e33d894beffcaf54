#include "learn/learner.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace glimpse {

Status Learner::plan_among(Random&, std::span<const Attribute>, Plan&) {
  return failure(ErrorCode::kUnavailable,
                 "--algorithm {} draws from all attributes; it cannot plan among those that are available",
                 options_.algorithm);
}

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
    if (learns_from_partial() && importance > 0) judge_unseen(plan, values, label);
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
  if (std::isfinite(estimate)) progressive_loss_.add(estimate);
}

void Learner::adapt() {
  drift_ = {drift_.alarms + 1, counts_.examples, rise_->before, rise_->after};
  forget(*rise_);
  progressive_loss_.begin_recent();
  rise_.reset();
}

namespace {

constexpr std::uint64_t kMostExamples = std::uint64_t{1} << 60;

// The line of `text` that begins with `key`, "name="; empty: none.
std::string_view line_of(std::string_view text, std::string_view key) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (text.substr(begin, end - begin).starts_with(key)) return text.substr(begin, end - begin);
    begin = end + 1;
  }
  return {};
}

// The first line of `text` that `other` has not; empty: none.
std::string_view line_without_match(std::string_view text, std::string_view other) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (line_of(other, line.substr(0, line.find('=') + 1)) != line) return line;
    begin = end + 1;
  }
  return {};
}

}  // namespace

void Learner::save(State& state) const {
  state.put_text("learner.options", describe(options_));
  const std::uint64_t counts[] = {counts_.examples, counts_.attributes_revealed, counts_.missing,
                                  counts_.out_of_range, counts_.diverged};
  state.put_copy<std::uint64_t>("learner.counts", counts);
  labels_.save(state);
  state.put_number("learner.steps", steps_);
  progressive_loss_.save(state);
  if (options_.drift != Drift::kOff) {
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
  if (const std::string_view line = line_without_match(mine, *text); !line.empty()) {
    const std::string_view theirs = line_of(*text, line.substr(0, line.find('=') + 1));
    return failure(ErrorCode::kMismatch, "the checkpoint was made with {}, but this start asks for {}",
                   theirs.empty() ? "another version's or the default options" : theirs, line);
  }
  // Some options are described only where they are not what an older version had.
  if (const std::string_view line = line_without_match(*text, mine); !line.empty())
    return failure(ErrorCode::kMismatch,
                   "the checkpoint was made with {}, but this start does not ask for it", line);
  const auto counts = state.get<std::uint64_t>("learner.counts", 5);
  if (!counts) return counts.error();
  counts_ = {(*counts)[0], (*counts)[1], (*counts)[2], (*counts)[3], (*counts)[4]};
  if (const Status status = labels_.restore(state, counts_.examples); !status) return status;
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
    drift_ = {(*alarms)[0], (*alarms)[1], (*losses)[0], (*losses)[1]};
  }
  return restore_state(state);
}

}  // namespace glimpse
