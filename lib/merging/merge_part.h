#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "base/state.h"
#include "learn/classes/temperature.h"
#include "learn/classes/unlearned_losses.h"
#include "merging/read_inputs.h"
#include "merging/same_numbers.h"

namespace glimpse {

/// The records that a state held out, of all labels and of classes.
struct HeldOutSums {
  std::vector<std::uint64_t> counts;  ///< labelled records, those held out, their values; empty: none
  UnlearnedLosses losses;
  Temperature temperature;

  Status restore(const State& state);
  void save(State& state) const;
  void merge(const HeldOutSums& other, std::span<const std::uint32_t> classes_there);
};

/// All of a state that merging adds up: the learner, what its numbers mean, and the counts beside it. What is
/// of one process alone, as open plans and the history, is the first part's. Thread-safety: none.
class MergePart {
 public:
  /// Errors: those of Learner::restore() and described_options().
  static Result<MergePart> restore(const State& state);

  /// Adds the examples of `other` (Learner::merge(), same_numbers()). `anyhow`: see ReadInputs::merge().
  /// After an Error this must not be used any more.
  Status merge(const MergePart& other, bool anyhow = false);
  /// Learner::finish_merging().
  void finish() { named_.learner->finish_merging(); }

  /// The state: a daemon may go on from it.
  void save(State& state) const;
  /// By way of it.
  Result<MergePart> copy() const;

  /// How many were merged; 1 of a state that was restored.
  std::size_t parts() const { return parts_; }
  const Learner& learner() const { return *named_.learner; }
  const AttributeNames& names() const { return named_.names; }
  const ReadInputs& inputs() const { return inputs_; }
  ReadInputs& inputs() { return inputs_; }

 private:
  explicit MergePart(NamedLearner named) : named_(std::move(named)) {}

  NamedLearner named_;
  State of_first_;  // what is the first part's
  std::size_t parts_ = 1;
  ReadInputs inputs_;
  HeldOutSums held_out_;
  std::vector<Random> random_;  // both generators, where the state has them
  std::uint64_t predictions_ = 0;
  std::uint64_t cost_ = 0;      // millionths
  std::uint64_t replaced_ = 0;  // attributes of learners that were replaced
};

}  // namespace glimpse
