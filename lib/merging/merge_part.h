#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "base/state.h"
#include "data/records/attribute_names.h"
#include "data/table_schema.h"
#include "learn/classes/temperature.h"
#include "learn/classes/unlearned_losses.h"
#include "learn/core/learner.h"
#include "learn/core/merging.h"

namespace glimpse {

/// A learner and what its numbers mean.
struct NamedLearner {
  std::unique_ptr<Learner> learner;
  AttributeNames names;
};

/// What the numbers of `other` are in `into`, whose names grow by those that it does not have: attributes,
/// words of attributes and classes are matched by name. Where only one of them names attributes they are
/// matched by number. Attributes that neither has seen have whatever numbers are left. A function of both
/// alone: what is new gets numbers in the order that it has in `other`. Errors (kMismatch): there is no
/// number left, an attribute has a name here and only a number there, or labels are words and numbers. `into`
/// must not be used after one. O(d + words).
Result<Numbering> same_numbers(NamedLearner& into, const NamedLearner& other);

/// What the examples of a state were read from: the files with their positions, the named sources, the
/// learners that began and that were merged into it, and their checkpoints (FORMAT.md). Thread-safety: that
/// of a value type.
class ReadInputs {
 public:
  /// Errors: kCorrupt.
  static Result<ReadInputs> of(const State& state);

  /// Adds those of `other`. Errors (kMismatch): both have read of the same file or source, or have the same
  /// learner or checkpoint in them, and so some examples twice; nothing is changed then. `anyhow`: it is said
  /// to be right, and the position that is further holds.
  Status merge(const ReadInputs& other, bool anyhow);
  /// A checkpoint with this checksum is in it. The same Error where it is already.
  Status add_checkpoint(std::uint64_t checksum);

  void save(State& state) const;

  /// Names of sources, and paths of files.
  std::vector<std::string> names() const;
  const std::vector<std::uint64_t>& checkpoints() const { return checkpoints_; }

 private:
  struct File {
    std::uint64_t position = 0;
    std::uint64_t records = 0;
    std::uint64_t fingerprint = 0;
    std::optional<TableSchema> schema = std::nullopt;  // how it was read; none: not known
  };
  struct Source {
    std::uint64_t records = 0;
    std::vector<std::string> opening;
    bool opening_is_whole = false;
  };

  Status read_files(const State& state);
  Status read_sources(const State& state);

  std::vector<std::pair<std::string, File>> files_;  // in the order in which they were given
  std::map<std::string, Source> sources_;
  std::vector<std::uint64_t> checkpoints_;
  std::vector<std::uint64_t> learners_;  // its own name first; none: a state of an earlier build
};

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
