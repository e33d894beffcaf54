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
  return outcome;
}

void Learner::save(State& state) const {
  state.put_text("learner.options", describe(options_));
  const std::uint64_t counts[] = {counts_.examples, counts_.attributes_revealed, counts_.missing,
                                  counts_.out_of_range, counts_.diverged};
  state.put_copy<std::uint64_t>("learner.counts", counts);
  labels_.save(state);
  state.put_number("learner.steps", steps_);
  progressive_loss_.save(state);
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
  return restore_state(state);
}

}  // namespace glimpse
