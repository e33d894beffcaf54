#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/state.h"
#include "daemon/config/configuration.h"
#include "learn/core/learner.h"

namespace glimpse {

/// The names of --attributes; none where it is not given. Errors: kInvalidOption.
Result<std::vector<std::string>> read_names(const Configuration& c, FileSystem& files);

/// Whether a budget is given where the algorithm has one. Errors: kInvalidOption.
Status check_budget(const Configuration& c);

/// Where the input says how many attributes there are, a larger budget looks at all of them, and the log says
/// so: what suits most tables is more than a small one has.
void lower_budget(LearnerOptions& options);

/// Fills in the options that were not given: from the `names` of --attributes, from `state` where there is
/// one, or from what the others allow. Errors: kInvalidOption.
Status complete(Configuration& c, FileSystem& files, const std::vector<std::string>& names,
                const State* state);

/// Whether --attribute-grid has a cell for each attribute. Errors: kInvalidOption.
Status check_grid(const Configuration& c);

/// The learner of `c`, with the moments of its file. Errors: kInvalidOption.
Result<std::unique_ptr<Learner>> make_learner_of(const Configuration& c, FileSystem& files);

/// Logs which attributes are never bought.
void warn_of_dear_attributes(const LearnerOptions& options, const std::vector<std::string>& names);

}  // namespace glimpse
