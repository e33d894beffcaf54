#pragma once

#include <vector>

#include "base/option.h"
#include "learn/options/options.h"

namespace glimpse {

/// The rows of learner_option_table() that tell of what pairs and products of attributes are kept, and which
/// attributes are looked at for them.
std::vector<Option<LearnerOptions>> feature_option_rows();

}  // namespace glimpse
