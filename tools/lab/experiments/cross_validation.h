#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/data/dense_set.h"
#include "lab/experiments/candidate_store.h"
#include "lab/experiments/method.h"
#include "lab/experiments/parallel.h"

namespace glimpse {

/// What cross-validation chooses from.
struct TuningOptions {
  std::size_t folds = 10;     ///< from 2 to the number of examples
  std::size_t repeats = 1;    ///< runs a fold, each with draws of its own; offline: not used
  std::vector<double> radii;  ///< B; empty: powers of two, searched (see cross_validate)
  std::vector<double> steps;  ///< as `--step` numbers; empty: powers of two, searched. Offline: not used
  std::string step_prefix;    ///< before the number, as in "adagrad:"
  bool in_hindsight = false;  ///< by the loss on the test set, of `folds` runs: what nobody can do
};

/// The choice.
struct Tuned {
  std::optional<double> radius;
  std::string step;                     ///< as for --step; empty for offline solvers and baseline
  std::optional<double> phase1_radius;  ///< of the uniform phase, where it was chosen by itself
  std::optional<double> phase1_step;
  double loss_ratio = 0;  ///< mean over the folds of the held-out loss over the zero predictor's
  bool operator==(const Tuned&) const = default;
};

/// Where the runs of a cross-validation are counted, and their losses kept; changes no result. Both may be
/// missing.
struct TuningRecord {
  Progress* progress = nullptr;    ///< knows of coarse_runs() beforehand; told of the others as they arise
  CandidateStore* kept = nullptr;  ///< of this choice alone
};

/// Chooses B and the step of a method by cross-validation over `rows` of `train` alone. Fold f holds rows f,
/// f + folds, … out. The method runs over the others in their order and with draws of its own. The choice
/// with the smallest mean held-out loss wins. Known moments are those of the rows that a fold learns from. A
/// candidate with a run most of whose examples diverged has an infinite loss.
///
/// Every pair of the given grids is tried. Where a grid is not given, B and step are powers of two. A coarse
/// grid of factors of four comes first (B = 2^−1 … 2^7, step = 2^−15 … 2^3). Then the neighbours of the best,
/// by a factor of two, are tried for as long as one of them is better, beyond the coarse grid's edges too.
/// Offline solvers try B = 2^−6 … 2^12, which costs them one decomposition or path a fold.
///
/// Two-phase algorithms whose first phase has a known length m₁ get a choice for each phase, as in KS15 §5.
/// The first is for the uniform algorithm (AERR, AELR) on the first m₁ rows. It is then fixed, and the second
/// phase's is made on all rows. Where `method` gives phase1_radius or phase1_step they stay, and so does the
/// length auto, with which both phases share one choice. The same `seed` gives the same choice whatever the
/// number of threads. Errors: those of `record`'s store; kInvalidOption when there are fewer than two rows or
/// folds, when a fold has fewer examples than phase 1 counts, or when no candidate has a finite loss.
Result<Tuned> cross_validate(const Method& method, const TuningOptions& options, const DenseSet& train,
                             std::span<const std::uint32_t> rows, std::uint64_t seed, std::size_t threads,
                             const TuningRecord& record = {});

/// Chooses as cross_validate() does for a learner in one phase, but by the mean loss on `test` of runs over
/// `orders`, rows of `train`: no rule that looks at training examples can choose better. For comparisons that
/// give the method more than it could have.
Result<Tuned> tune_in_hindsight(const Method& method, const TuningOptions& options, const DenseSet& train,
                                const DenseSet& test, const std::vector<RowOrder>& orders, std::uint64_t seed,
                                std::size_t threads, const TuningRecord& record = {});

/// The runs that cross_validate() does at least: of given grids all, of a search those of the coarse grid.
std::size_t coarse_runs(const Method& method, const TuningOptions& options, std::size_t rows);

/// The method with the choice made.
Result<Method> with_choice(Method method, const Tuned& tuned);

}  // namespace glimpse
