#include <algorithm>
#include <fmt/format.h>
#include <string>

#include "base/command_line.h"
#include "glimpsectl/command_table.h"

namespace glimpse::ctl {

namespace {

// Whether an option of all commands does something for this one.
bool is_of(const CommandRow& command, std::string_view option) {
  if (option == "model") return command.reads_model;
  if (option == "json") return command.no_json.empty();
  if (command.door == CommandRow::Door::kNone) return false;
  if (option == "timeout") return true;
  const bool asks_models_alone = command.name == "test";
  const bool is_of_http = option == "server" || option == "max-answer";
  return !asks_models_alone && (!is_of_http || command.door == CommandRow::Door::kHttp);
}

// `command`: nullptr of all.
void append_common(const CommandRow* command, std::string& text) {
  text += command == nullptr ? "\noptions of all commands\n" : "\noptions as of other commands\n";
  for (const OptionRow& option : common_options())
    if (command == nullptr || is_of(*command, option.name)) append_help(text, "  ", option);
  text += "  -h, --help; --version\n";
}

std::string called(const CommandRow& command) {
  return fmt::format("{}{}{}", command.name, command.arguments.empty() ? "" : " ", command.arguments);
}

}  // namespace

std::string help_text() {
  std::string text = fmt::format(
      "usage: glimpsectl [--server ADDRESS] [--json] [--timeout 10s] COMMAND …\n\n{}\n\ncommands\n",
      help_sentence());
  for (const CommandRow& command : command_table()) {
    append_help(text, "  " + called(command), command.sentence);
    for (const OptionRow& option : command.options) append_help(text, "      ", option);
  }
  append_common(nullptr, text);
  text += "\nexit status\n";
  for (const auto& [status, meaning] : exit_statuses()) text += fmt::format("  {}  {}\n", status, meaning);
  return text;
}

std::string examples_of(const CommandRow& command) {
  std::string text;
  for (std::string_view rest = command.examples.empty() ? command.name : command.examples; !rest.empty();) {
    const std::string_view example = rest.substr(0, rest.find('\n'));
    text += fmt::format("  glimpsectl {}\n", example);
    rest.remove_prefix(std::min(rest.size(), example.size() + 1));
  }
  return text;
}

std::string help_text(const CommandRow& command) {
  std::string text = examples_of(command);
  text +=
      fmt::format("\nusage: glimpsectl {}\n\n{}\n", called(command), wrapped("", command.sentence, "", 110));
  for (const OptionRow& option : command.options) append_help(text, "  ", option);
  append_common(&command, text);
  return text;
}

std::string_view help_sentence() {
  return "Asks a running glimpsed over its HTTP door, or looks into a checkpoint.";
}

std::vector<std::pair<int, std::string_view>> exit_statuses() {
  return {
      {0, "done"},
      {1,
       "the server answered with an error, or a file is bad, or cannot be read or written; doctor: warnings"},
      {2, "the command line is wrong; doctor: errors"},
      {3, "the server cannot be reached, does not answer in time, or is not a glimpsed"}};
}

}  // namespace glimpse::ctl
