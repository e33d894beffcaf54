#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glimpse {

/// What the small tools share of their command lines: --help, errors in one line, exit statuses (0 fine, 1 it
/// failed, 2 the options were wrong).

inline constexpr int kExitFailure = 1;
inline constexpr int kExitBadOption = 2;

/// Prints "PROGRAM: message" to standard error and gives the status that belongs to the error.
int report(std::string_view program, const Error& error);

/// What a program, or a command of one, is called in messages, and what --help shows before and after the
/// options.
struct ProgramText {
  std::string_view name;
  std::string_view usage;
  std::string_view notes = "";
};

/// An option, and what is done with its value. Made from a row by OptionTable.
struct BoundOption {
  std::string name;
  std::string value;                 ///< what --help calls it
  std::string sentence;              ///< of --help
  std::vector<std::string> choices;  ///< words that a shell may offer
  std::string standard;              ///< read where nothing is given; empty: then nothing is read
  bool is_flag = false;
  bool is_repeated = false;
  bool is_required = false;
  std::function<Status(const std::string& value)> read;
  std::function<Status(const std::string& value)> check;  ///< of what was given, after all were read
};

/// Reads the command line: the values in the order of `options`. Options unknown, left over, missing or
/// given twice that are not repeated are Errors (kInvalidOption), as are those of read and check. False where
/// --help was given, which is printed.
Result<bool> parse_command_line(int argc, const char* const* argv, const ProgramText& text,
                                const std::vector<BoundOption>& options);

/// A program, or a command of one: all that is known of it before it runs.
struct ToolCommand {
  ProgramText text;
  std::vector<BoundOption> options;  ///< for those who describe it; their read() and check() have no target
  std::function<int(int argc, const char* const* argv)> run;  ///< gives the exit status
};

}  // namespace glimpse
