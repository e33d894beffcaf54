#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "lab/data/dense_set.h"
#include "lab/experiments/example_counts.h"
#include "learn/core/learner.h"

namespace glimpse {

/// A learner or an offline solver with all its options, independent of data: dimension, known moments and
/// (unless given) horizon are filled in from the training set.
struct Method {
  /// `algorithm` may also be offline-ridge or offline-lasso, which use radius and bias alone. A horizon means
  /// one run whatever the prefix; without one, the horizon is the prefix's length times the passes.
  LearnerOptions learner;
  /// How often a learner goes over the prefix, in the same order and with draws of its own each time. The
  /// algorithms of the papers go once; more passes reveal more of the same examples, and all of it is
  /// counted.
  std::size_t passes = 1;
  /// Of how many examples a learner's recent loss is (Learner::set_recent()).
  std::uint64_t recent = ProgressiveLoss::kRecent;

  Method() {
    learner.bias = false;
    learner.draws = Draws::kSeparate;
    learner.control_variates = false;
    learner.phase1_fraction = 0.1;
  }
};

/// Whether an algorithm is a solver that sees whole examples as often as it likes.
bool is_offline(std::string_view algorithm);
/// Attributes an example that the algorithm may look at: K, or d for full information.
std::size_t attributes_per_example(const Method& method, std::size_t dimension);

/// Everything wrong with the method on data of this dimension, as make_learner() says it.
Status check(const Method& method, std::size_t dimension);

/// A model after a prefix of the training set.
struct Snapshot {
  std::uint64_t examples;            ///< n, the length of the prefix
  std::uint64_t attributes;          ///< distinct attributes revealed so far, bias not counted; offline: n·d
  const Model& model;                ///< valid during the call
  ExampleCounts counts;              ///< of all runs of the call so far; zeros offline
  const Learner* learner = nullptr;  ///< valid during the call; offline: nullptr
};

/// Runs the method over prefixes of `order`, rows of `train`, and calls `visit` after each. `prefixes` ascend
/// and are from 1 to the length of `order`. Some learners depend on how many examples are to come (the theory
/// step, a share as phase 1), or go over them more than once. For these each prefix is a run of its own;
/// otherwise one run passes through all of them. It drives plan, reveal and learn as the daemon does, and
/// gives the learner nothing but what its plan names. Moments that an algorithm knows beforehand are those of
/// the rows in `order`, behind the last prefix too, and of no others. The same `seed` gives the same models.
/// REQUIRES check(method, train.dimension).
Status run_method(const Method& method, const DenseSet& train, std::span<const std::uint32_t> order,
                  std::span<const std::size_t> prefixes, std::uint64_t seed,
                  const std::function<void(const Snapshot&)>& visit);

/// The algorithm and every option that decides its result, one `name=value` a line.
std::string describe(const Method& method);

}  // namespace glimpse
