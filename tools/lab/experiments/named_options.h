#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "learn/options/options.h"

namespace glimpse {

/// A learner of an experiment, and what it is called there.
struct NamedOptions {
  std::string label;
  LearnerOptions learner;  ///< without dimension, horizon and seed
};

/// "ALGORITHM[:OPTION=VALUE]...", the options being radius, step, phase1 and active as in LearnerOptions. The
/// Error (kInvalidOption) names `option`, of the command line, and what cannot be read.
Result<NamedOptions> parse_named_options(std::string_view option, std::string_view text, std::size_t budget);

}  // namespace glimpse
