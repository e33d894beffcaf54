#pragma once

#include <memory>
#include <span>

#include "base/types.h"
#include "learn/core/learner.h"
#include "learn/core/solving.h"
#include "stats/pair_moments.h"
#include "stats/progressive_loss.h"

namespace glimpse {

/// What a learner offers beside Learner when it knows how attributes depend on each other
/// (Learner::conditioning()): what is unseen can be told from what is seen, PartialPrediction.
///
///     auto solution = conditioning.newest_solution();         // the learner's thread
///     conditioning.covariances(solution->moments, known, universe, out);
///     PartialPrediction prediction(solution, universe);       // any thread, from here on
///
/// Thread-safety: none; owned by the learner's thread. What newest_solution() gives may go anywhere.
class Conditioning {
 public:
  virtual ~Conditioning() = default;

  /// The solution that predict() would use now; solved for by this call where predict() would do so. Before
  /// the first example: weights and moments of 0.
  virtual std::shared_ptr<const Solution> newest_solution() const = 0;

  /// out[r·columns + c] = Σ of rows[r] and columns[c], slots of the learner's features, as covariances()
  /// below gives it from the learner's present moments: they may be newer than `about`, the moments of a
  /// solution.
  virtual void covariances(const TargetMoments& about, std::span<const Attribute> rows,
                           std::span<const Attribute> columns, std::span<double> out) const = 0;
};

/// out[r·columns + c] = S_ij/(N_ij + κ_ij) about the means of `about`, i = rows[r], j = columns[c], cut to
/// what the variances of `about` allow, ±√(Σ_iiΣ_jj); the variance itself where i = j. So it is a number of
/// sound size whatever became of `moments` since `about` was made from them: forgotten ones give 0,
/// independence. Of features where there are categories: i and j are slots. O(rows·columns), usually with a
/// cache miss each. Pairs that are still to be added (PairMoments::settle()) take some milliseconds at most.
void covariances(const PairMoments& moments, const FeatureMap& features, const TargetMoments& about,
                 std::span<const Attribute> rows, std::span<const Attribute> columns, std::span<double> out);

/// The same of one pair, i ≠ j, whose sum about these means is `sum`, and of which `weight` was seen.
double covariance(const TargetMoments& about, std::size_t i, std::size_t j, double sum, double weight);

/// Those of d attributes of which nothing is known: zeros.
TargetMoments no_moments(std::size_t dimension);

/// For the learners without conditioning(): their model, and moments as if the attributes were independent,
/// with the means and variances that sampling_row() knows, and the noise of error_variance(). Predictions
/// then put its mean for each attribute that is not known. Of a classifier with its class_model(). O(d); the
/// learner's thread.
std::shared_ptr<const Solution> independent_solution(const Learner& learner);

/// The expected squared error of a model. It combines what its solution says (`noise`, right within this
/// share, `doubt`) and what later examples said, `losses`, each by its precision. What is said within a
/// standard error of 0 may be negative: never below a tenth of `noise`. Only one of both where the other says
/// nothing: a noise of 0, fewer than two examples.
double error_variance(double noise, double doubt, const ProgressiveLoss::Part& losses);
/// The expected squared error of the model of `learner`, whose solution says `noise`.
double error_variance(const Learner& learner, double noise);

}  // namespace glimpse
