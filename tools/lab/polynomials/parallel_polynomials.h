#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "lab/polynomials/example_text.h"
#include "lab/polynomials/polynomial_run.h"
#include "learn/apple/normalised_steps.h"

namespace glimpse {

/// Learners over shards, as ABHLT14 §3.2 has them.
struct ParallelOptions {
  PolynomialMethod method;
  std::size_t learners = 1;  ///< N
  std::size_t passes = 5;    ///< the first, in which parents are found, and those with the union of them
  double rate = NormalisedSteps::kStandardRate;  ///< η
};

/// What they reached.
struct ParallelResult {
  double auc = 0;           ///< of the test set
  double error = 0;         ///< of signs
  double square_error = 0;  ///< the mean, clipped to the labels
  double longest = 0;  ///< seconds of processor with a core for each learner: of the slowest in each pass
  double total = 0;    ///< seconds of processor of all
  std::size_t parents = 0;
  std::size_t products = 0;
};

/// Divides the training rows into N shards, as they come. In the first pass each learner runs its six epochs
/// over its shard alone. The parents of all are united, and stay. After each pass every weight becomes the
/// mean of the learners', each weighted with its sum of squared gradients, as Agarwal et al. 2014 (JMLR 15)
/// average. Bigrams are numbered before the first pass, which no time counts. Threads work on one learner
/// each; the result does not depend on how many run at once. Errors: kInvalidOption for more learners than
/// rows.
Result<ParallelResult> run_parallel(const ParallelOptions& options, const ExampleText& text,
                                    const PolynomialSplit& split, std::size_t threads);

}  // namespace glimpse
