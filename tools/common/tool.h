#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/option_row.h"
#include "base/result.h"
#include "common/output.h"

namespace glimpse {

/// What the small tools share: their command lines, --help, errors in one line, exit statuses (0 fine, 1 it
/// failed, 2 the options were wrong). Where an option is not given, its row reads the row's own default. What
/// the rows read has a member `Status run()`:
///
///     const std::vector<OptionRow> rows{{"seeds N = 1", "runs", OptionKind::whole(&Draw::seeds, 1, 1000)}};
///     return run_program<Draw>(argc, argv, {"draw", "Usage: draw [options]\n"}, rows);

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

/// A value for a row, which somebody gave or which is the row's default.
struct ToolValue {
  const OptionRow* row;
  std::string text;
  bool is_given;
};

/// Takes a command line apart: the values in the order of `rows`, whose texts nobody has looked at yet.
/// Nothing where --help was given, which is printed. Errors (kInvalidOption): those of take_apart(), a word
/// that belongs to no option, and an option that is required and missing.
Result<std::optional<std::vector<ToolValue>>> read_tool_line(int argc, const char* const* argv,
                                                             const ProgramText& text,
                                                             const std::vector<OptionRow>& rows);

/// --help, which every tool has.
const OptionRow& help_row();

/// Reads a command line into `target`, and asks the rules of what was given. False where --help was given.
template <class Target>
Result<bool> read_options(int argc, const char* const* argv, const ProgramText& text,
                          const std::vector<OptionRow>& rows, Target& target) {
  GLIMPSE_TRY_ASSIGN(const auto values, read_tool_line(argc, argv, text, rows));
  if (!values) return false;
  for (const ToolValue& value : *values) GLIMPSE_TRY(value.row->read(target, value.text));
  for (const ToolValue& value : *values)
    if (const OptionRule* const broken = value.is_given ? value.row->broken_rule(target) : nullptr)
      return invalid_option(value.row->name, value.text, broken->constraint);
  return true;
}

/// Reads the command line into a Command, runs that, and gives the exit status. Errors are one line on
/// standard error. A standard output that nobody reads does not end the process.
template <class Command>
int run_program(int argc, const char* const* argv, const ProgramText& text,
                const std::vector<OptionRow>& rows) {
  Command command;
  const auto parsed = read_options(argc, argv, text, rows, command);
  if (!parsed) return report(text.name, parsed.error());
  if (!*parsed) return 0;
  ignore_broken_pipes();
  const Status status = command.run();
  return status ? 0 : report(text.name, status.error());
}

/// A program, or a command of one: all that is known of it before it runs.
struct ToolCommand {
  ProgramText text;
  std::vector<OptionRow> options;
  std::function<int(int argc, const char* const* argv)> run;  ///< gives the exit status
};

/// What a program or command is, to run and to describe. `text` must live on.
template <class Command>
ToolCommand tool_command(const ProgramText& text, const std::vector<OptionRow>& rows) {
  return {.text = text, .options = rows, .run = [=](int argc, const char* const* argv) {
            return run_program<Command>(argc, argv, text, rows);
          }};
}

}  // namespace glimpse
