#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "daemon/config/configuration.h"
#include "daemon/config/given_values.h"

namespace glimpse {

/// What a command line asks for.
struct Invocation {
  enum class Action : std::uint8_t { kRun, kCheck, kDryRun, kHelp, kVersion };
  Action action = Action::kRun;
  DryRun dry_run = DryRun::kNo;  ///< of kDryRun
  Configuration configuration;
  std::vector<std::string> overridden;  ///< for the log: options of the file that have no effect, and why
  OptionPlaces places;                  ///< of what the file says; see placed()
};

/// Reads the command line (without the program's name), and the file that its --config names. The command
/// line wins; what may be repeated adds up. Errors (kInvalidOption) are one line with option, value and
/// constraint, and the file's name and line where it says so.
Result<Invocation> parse_command_line(const std::vector<std::string>& arguments);

/// The text of --help, and what stands in it before and after the options.
std::string help_text();
std::string_view help_beginning();
std::string_view help_end();

/// Every option that may stand in a configuration file, without dashes.
std::vector<std::string> option_names();

}  // namespace glimpse
