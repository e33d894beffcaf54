#pragma once

#include <vector>

#include "base/option_row.h"
#include "learn/options/options.h"

namespace glimpse {

/// A row for each option of LearnerOptions that programs offer. What they act on is in their rules, which ask
/// the table of algorithms. Under kAutomatic a rule is asked of the algorithms that it may come to.
const std::vector<OptionRow>& learner_option_table();

/// Those of them, at its end, that the papers' algorithms have and automatic choices make.
const std::vector<OptionRow>& research_options();

/// The row of that name, which there must be.
const OptionRow& learner_option(std::string_view name);

}  // namespace glimpse
