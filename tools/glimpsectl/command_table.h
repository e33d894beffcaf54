#pragma once

#include <string_view>
#include <vector>

#include "base/option_row.h"
#include "glimpsectl/command_line.h"
#include "glimpsectl/input/console.h"

namespace glimpse::ctl {

/// All that is said of a command: parsing, the messages about what does not belong to it and --help come from
/// its row.
struct CommandRow {
  enum class Takes { kNothing, kFile, kTables, kFiles, kIds, kCheckpoint };
  enum class Door { kHttp, kStream, kNone };

  std::string_view name;  ///< one word, or two
  /// Does what the command line says; nullptr: examine() does, whose exit status is not one of the others.
  Status (*run)(const CommandLine& line, Console& console);
  std::string_view arguments = "";  ///< what --help calls them
  std::string_view sentence;        ///< of --help
  std::string_view examples = "";   ///< a line each, behind "glimpsectl"; empty: its name
  Takes takes = Takes::kNothing;
  /// Of kTables: options of glimpsed that the command gives it itself, each between blanks.
  std::string_view gives = "";
  Door door = Door::kHttp;              ///< which it asks
  bool reads_model = false;             ///< it may ask a checkpoint's (--model)
  std::string_view no_json = {};        ///< why it has no --json; empty: it has
  bool reads_table = false;             ///< options behind -- say how
  std::vector<OptionRow> options = {};  ///< beside common_options()
  /// What its options say of each other, and the defaults that depend on others.
  Status (*settle)(CommandLine& line) = nullptr;
};

/// Every command. One is added with a row here and a function in commands.h.
const std::vector<CommandRow>& command_table();
/// The options of all commands but --help and --version.
const std::vector<OptionRow>& common_options();

/// The options behind -- of commands that read a table.
const std::vector<OptionRow>& table_options();

/// Rows of the commands that give examples to a daemon, or to a topic.
CommandRow learn_row();
CommandRow send_row();
CommandRow stream_row();

/// Rows of the commands that ask for models, moments and predictions.
CommandRow model_row();
CommandRow moments_row();
CommandRow predict_row();
CommandRow explain_row();

/// What several rows have: the model of a checkpoint in place of the newest, one of several labels, and the
/// format of examples.
OptionRow checkpoint_row(const char* sentence);
OptionRow label_row(const char* sentence);
OptionRow examples_format(const char* standard, const char* more = "");

}  // namespace glimpse::ctl
