#pragma once

#include <string_view>
#include <vector>

#include "base/option.h"
#include "daemon/config/configuration.h"
#include "learn/options/learner_option_table.h"

namespace glimpse {

using DaemonOption = Option<Configuration>;

/// A title of --help and of the configuration file, and what stands below it.
struct OptionSection {
  const char* title;
  std::vector<DaemonOption> rows;
};

/// Every option of glimpsed but --config, --help and --version. An option is added with a row in one of the
/// files *_options.cpp, or in the learner's table, and the code that uses it.
const std::vector<OptionSection>& option_table();

/// The row of a learner's option, for the learner of a configuration.
DaemonOption of_learner(const Option<LearnerOptions>& option);

}  // namespace glimpse
