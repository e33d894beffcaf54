#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/types.h"
#include "learn/core/model.h"
#include "learn/core/served_model.h"
#include "sampling/sampling_spread.h"
#include "stats/second_moments.h"

namespace glimpse {

/// A row of /v1/moments beside the moment itself.
struct SamplingRow {
  Moment moment;
  double probability;  ///< with which one data-point draw is this attribute
};

/// How far a learner that finds products of attributes has come. All but the first are 0 with pairwise.
struct ExpansionReport {
  std::uint64_t products = 0;    ///< of attributes, that have weights; pairwise: in the model that judges
  std::uint64_t parents = 0;     ///< features whose products with attributes are features
  std::uint64_t expansions = 0;  ///< times that parents were chosen
  std::uint64_t lacking = 0;     ///< times that a product found no room: LearnerOptions::max_features
};

/// What a learner tells of itself at one moment: Learner::describe().
struct LearnerReport {
  int phase = 1;  ///< 1: attributes are drawn uniformly; 2: by what was learned, or given, of them
  /// LearnerCounts::examples when it began. None: the checkpoint is of a build that did not note it.
  std::optional<std::uint64_t> phase_since = 0;
  std::string phase_reason;  ///< which phase, since when, why: one sentence
  /// Of q, from which plans draw (first-order learners: the data-point draws), prices and all. As of when q
  /// was planned.
  SamplingSpread looks;
  double step_size = 0;  ///< η of the last step; 0 before
  /// What the model that predict() used last was made from; none where no model was solved for yet. Learners
  /// that step have one of this very moment at any time.
  std::optional<ModelOrigin> origin;
  /// Whether the newest model is withheld, and why, in the squared unit of the user's label. pairwise and
  /// pairwise-screened have a guard; the others serve the newest.
  GuardReport guard;
  std::optional<ExpansionReport> expansion;  ///< none: it finds no products
  std::size_t best_wanted = 0;               ///< LearnerOptions::look_at_best
  /// What looks are spent on for that, ascending; nullptr: all, as the choice is not sure. And since when.
  std::shared_ptr<const std::vector<Attribute>> best;
  std::uint64_t best_since = 0;
  std::string best_waiting;  ///< why nothing is chosen for it yet; empty: something is, or nothing is wanted
  std::size_t memory_bytes = 0;  ///< of the state that grows with d
};

}  // namespace glimpse
