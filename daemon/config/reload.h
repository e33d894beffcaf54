#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "daemon/config/command_line.h"
#include "daemon/config/configuration.h"

namespace glimpse {

/// Copies into `running` the options that differ between the two and may change while running (Reload in
/// their rows). Returns the names of those that differ and may not change, in the order of the table.
std::vector<std::string> apply_changes(Configuration& running, const Configuration& wanted);

/// The configuration once what may change was read again.
struct Changes {
  Configuration configuration;
  std::vector<std::string> fixed;       ///< as apply_changes() returns them
  std::vector<std::string> overridden;  ///< as in Invocation
  OptionPlaces places;                  ///< the same
};

/// Reads command line and file again. What `running` found out for itself (dimension, budget, algorithm)
/// stays where it is not named. Errors: those of parse_command_line().
Result<Changes> reread_configuration(const std::vector<std::string>& arguments, const Configuration& running);

}  // namespace glimpse
