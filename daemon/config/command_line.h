#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "daemon/config/configuration.h"

namespace glimpse {

/// What a command line asks for.
struct Invocation {
  enum class Action : std::uint8_t { kRun, kCheck, kHelp, kVersion };
  Action action = Action::kRun;
  Configuration configuration;
};

/// Reads the command line (without the program's name), and the file that its --config names; the command
/// line wins. Errors (kInvalidOption) are one line with option, value and constraint.
Result<Invocation> parse_command_line(const std::vector<std::string>& arguments);

/// Whether the files that the configuration names can be read (--check-config). Errors: kInvalidOption.
Status check_files(const Configuration& configuration);

/// The text of --help.
std::string help_text();

/// Every option that may stand in a configuration file, without dashes.
std::vector<std::string> option_names();

}  // namespace glimpse
