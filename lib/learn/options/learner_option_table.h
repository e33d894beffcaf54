#pragma once

#include <vector>

#include "base/option.h"
#include "learn/options/options.h"

namespace glimpse {

/// The rows of learner_option_table() that tell of what pairs and products of attributes are kept, and which
/// attributes are looked at for them.
std::vector<Option<LearnerOptions>> feature_option_rows();

/// A row for each option of LearnerOptions that programs offer. What they act on is in their rules, which ask
/// the table of algorithms. Under kAutomatic a rule is asked of the algorithms that it may come to.
const std::vector<Option<LearnerOptions>>& learner_option_table();

/// The row of that name, which there must be.
const Option<LearnerOptions>& learner_option(std::string_view name);

}  // namespace glimpse
