#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "daemon/config/configuration.h"
#include "daemon/config/option_table.h"

namespace glimpse {

/// Where the options of a configuration file stand, by name: "glimpsed.conf: line 3: ". The command line's
/// have no place.
using OptionPlaces = std::map<std::string, std::string, std::less<>>;

/// What --dry-run prints.
enum class DryRun : std::uint8_t {
  kNo,
  kText,  ///< the dialect, the columns and the first records, for people
  kJson,  ///< the same for programs
  kRows,  ///< all records as RFC 4180 in UTF-8, below their header where the table has one
};

/// One value of an option, as somebody wrote it.
struct GivenValue {
  const OptionRow* option;
  std::string value;  ///< "on" of an option without a value
  std::string place;  ///< in the file; empty: on the command line
};

/// What a command line and the file of its --config say together.
struct GivenValues {
  bool asks_for_help = false;
  bool asks_for_all_help = false;  ///< --help all
  bool asks_for_version = false;
  bool asks_for_check = false;
  DryRun dry_run = DryRun::kNo;
  /// Those that hold, in the order of the table. What may be repeated adds up, the command line's values
  /// first. Of all else the command line wins.
  std::vector<GivenValue> values;
  /// A sentence for each option of the file that the command line overrides with another value.
  std::vector<std::string> overridden;
};

/// Reads the arguments (without the program's name) and the file that their --config names. The values are
/// texts that nobody has looked at yet. Errors (kInvalidOption) are one line; of the file with name and line.
Result<GivenValues> read_given_values(const std::vector<std::string>& arguments);

/// An error that begins with an option of the file ("--budget 0: ...") with its place before that.
Error placed(Error error, const OptionPlaces& places);

/// What the command line has beside option_table(): --config, --check-config, --dry-run, --help and others.
const std::vector<OptionRow>& command_line_options();

/// What a command line asks for.
struct Invocation {
  enum class Action : std::uint8_t { kRun, kCheck, kDryRun, kHelp, kVersion };
  Action action = Action::kRun;
  DryRun dry_run = DryRun::kNo;    ///< of kDryRun
  bool asks_for_all_help = false;  ///< of kHelp
  Configuration configuration;
  std::vector<std::string> overridden;  ///< for the log: options of the file that have no effect, and why
  OptionPlaces places;                  ///< of what the file says; see placed()
};

/// Reads the command line (without the program's name), and the file that its --config names. The command
/// line wins; what may be repeated adds up. Errors (kInvalidOption) are one line with option, value and
/// constraint, and the file's name and line where it says so.
Result<Invocation> parse_command_line(const std::vector<std::string>& arguments);

/// The text of --help: examples, and the options that matter most, by task.
std::string help_text();
/// The text of --help all: every option, those of research last.
std::string help_of_all();
/// What stands in both before and after the options.
std::string_view help_beginning();
std::string_view help_end();

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
