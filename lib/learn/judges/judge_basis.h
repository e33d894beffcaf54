#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "base/types.h"
#include "learn/core/past_model.h"
#include "learn/small_models/best_set.h"
#include "learn/solver/pairwise_solver.h"
#include "stats/frozen_snapshot.h"

namespace glimpse {

struct SolvedClasses;

/// How a model that judges is solved for.
struct JudgeForm {
  std::optional<NormBall> ball;
  std::size_t steps = PairwiseSolver::kSteps;
  std::size_t class_steps = PairwiseSolver::kSteps;  ///< each of more than two classes
  /// Moments of a model of active attributes as well. Of the others it says nothing: they have no weight.
  bool describes_active = false;
  BestSetForm best = {};  ///< with --look-at-best
};

/// What such a model is solved for from: the sums as they were after `examples`, in the learner's units.
/// Thread-safety: that of a value type.
struct JudgeBasis {
  virtual ~JudgeBasis() = default;

  std::uint64_t examples = 0;
  std::vector<double> means;  ///< of all slots of `features` then; 0 in own slots of categories
  FeatureMap features;        ///< the learner's then
  FrozenSnapshot snapshot;
  /// Where the pairs of some attributes alone are kept: these, ascending, and since how many examples.
  std::optional<std::vector<Attribute>> active;
  std::vector<std::uint64_t> ages;
  /// With categories: the learner's slots of those of the snapshot.
  std::vector<std::uint32_t> slots;
  mutable PairwiseSolver solver;  ///< solve()'s, one at a time
  bool is_lent = false;           ///< the memory of pairs and of the solver: SolvingLearner has it again

  /// Once the snapshot is whole, before solve(): attributes that are active for too short a time are left
  /// out. O(a) for each of them.
  void leave_out_young();
  /// The model; nullptr when it was cancelled.
  virtual std::shared_ptr<const PastModel> solve(const JudgeForm& form,
                                                 const PairwiseSolver::Cancelled& cancelled) const;
  /// A checkpoint has the model in its place: it takes some milliseconds at most, or save() does not know it.
  virtual bool is_soon_solved() const;

  virtual std::size_t memory_bytes() const;

  /// What `form.best` chooses, by place in the snapshot. None: cancelled.
  std::optional<BestChoice> choose_best(const JudgeForm& form,
                                        const PairwiseSolver::Cancelled& cancelled) const;
  bool is_settled(std::uint64_t enough) const;
  /// A model of `sums`, whose slots are these of the learner's; none: all.
  std::shared_ptr<PastModel> solve_part(const JudgeForm& form, const PairSnapshot& sums,
                                        std::span<const std::uint32_t> places,
                                        const PairwiseSolver::Cancelled& cancelled) const;

  /// Gives `result`, made of kLabelClass, what it has of all classes.
  void add_classes(SolvedClasses& classes, PastModel& result) const;

  /// Under names that begin with `name`. REQUIRES: snapshot.is_whole(), and its features are plain.
  void save(State& state, const std::string& name) const;
  /// Of `dimension` attributes. Errors: kCorrupt; this is then of no use.
  Status restore(const State& state, const std::string& name, std::size_t dimension);
};

}  // namespace glimpse
