#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/data/data_source.h"
#include "lab/experiments/cross_validation.h"
#include "lab/experiments/method.h"
#include "lab/results/job_store.h"
#include "lab/results/result_rows.h"

namespace glimpse {

/// One method with a name, B and step as given or to be chosen.
struct Curve {
  std::string label;  ///< without commas
  Method method;
  std::optional<TuningOptions> tuning;
};

/// Where along the training set models are measured.
struct MeasuringPoints {
  std::vector<std::uint64_t> counts;  ///< in examples, or in attributes an algorithm may have looked at
  bool in_attributes = false;
  bool all = false;  ///< and after the whole training set
};

/// Several methods on one data source, with seeds first_seed, first_seed + 1, …. The seed gives the order of
/// the training set (the same for all methods), the learner's draws, and the split where each seed draws one.
struct Experiment {
  std::vector<Curve> curves;
  MeasuringPoints points;
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 1;
};

/// How an experiment is carried out; changes no result.
struct Execution {
  std::size_t threads = 1;
  bool quiet = false;  ///< no progress on standard error
};

/// A choice that cross-validation made, for the record.
struct TunedCurve {
  std::string label;
  std::uint64_t seed;
  Tuned tuned;
};

/// Examples of all runs of a curve.
struct CurveCounts {
  std::string label;
  ExampleCounts counts;
};

/// Everything that an experiment measured.
struct ExperimentResult {
  std::vector<ResultRow> rows;         ///< by curve, seed, prefix
  std::vector<TunedCurve> tuned;       ///< by seed, curve
  std::vector<CurveCounts> unlearned;  ///< of curves with examples that were not learned from
  std::size_t runs_computed = 0;       ///< of those that gave the rows; the others' results were kept
  std::size_t tuning_runs_computed = 0;
};

/// The order of a training set of n examples in a run with this seed, and the seed of its learner's draws.
RowOrder training_order(std::size_t n, std::uint64_t seed);
std::uint64_t draws_seed(std::uint64_t seed);

/// The lengths of prefixes at which a method is measured on a training set of n examples: ascending, each
/// once, from 1 to n; counts beyond n are left out.
std::vector<std::size_t> prefixes_of(const MeasuringPoints& points, std::size_t attributes_per_example,
                                     std::size_t n);

/// Whether every count is one of a training set of n examples. The Error (kInvalidOption) names the first
/// that is not.
Status check_prefixes(const MeasuringPoints& points, std::size_t n);

/// A line "warning: CURVE: …" for every curve with examples that were not learned from.
std::string warnings(const ExperimentResult& result);

/// Runs what `store` does not have yet. Parameters to be chosen are chosen once for each curve and split, on
/// the longest prefix that the curve is measured at, from the training set alone. Results of candidates are
/// kept until the choice is made. Errors: those of check() for any curve before anything runs; an experiment
/// without any measuring point is one (kInvalidOption).
Result<ExperimentResult> run_experiment(const Experiment& experiment, const DataSource& source,
                                        const JobStore& store, const Execution& execution);

}  // namespace glimpse
