#include "manual/pages.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "daemon/config/command_line.h"
#include "daemon/config/configuration_file.h"
#include "daemon/config/option_table.h"
#include "gen/gen_command.h"
#include "glimpsectl/command_table.h"
#include "mnist/mnist_command.h"

namespace glimpse::manual {

namespace {

constexpr std::string_view kExit = "Exit status: ";

// "Usage: program words\nWhat it does.": the words, and what it does.
std::pair<std::string, std::string> usage_of(std::string_view program, std::string_view text) {
  const std::string beginning = fmt::format("Usage: {} ", program);
  if (text.starts_with(beginning)) text.remove_prefix(beginning.size());
  const std::size_t end = std::min(text.find('\n'), text.size());
  return {std::string(text.substr(0, end)), std::string(text.substr(std::min(end + 1, text.size())))};
}

// The notes of a tool before its exit statuses, and these as a sentence.
std::pair<std::string, std::string> notes_of(std::string_view notes) {
  const std::size_t begin = notes.find(kExit);
  if (begin == std::string_view::npos) return {std::string(notes), ""};
  std::string exit(notes.substr(begin + kExit.size()));
  while (exit.ends_with('\n')) exit.pop_back();
  return {std::string(notes.substr(0, begin)), exit};
}

std::vector<OptionRow> with_help(std::vector<OptionRow> rows) {
  rows.push_back(help_row());
  return rows;
}

Page tool_page(const ToolCommand& tool, std::string sentence) {
  Page page;
  page.name = tool.text.name;
  page.sentence = std::move(sentence);
  auto [usage, description] = usage_of(tool.text.name, tool.text.usage);
  page.usages = {usage};
  page.description = std::move(description);
  page.options = {{"", with_help(tool.options)}};
  auto [notes, exit] = notes_of(tool.text.notes);
  page.behind_options = {{"NOTES", std::move(notes)}, {"EXIT STATUS", std::move(exit)}};
  page.see_also = {{"glimpsed", 8}};
  return page;
}

CommandText ctl_command(const ctl::CommandRow& row) {
  CommandText command;
  command.name = row.name;
  command.arguments = row.arguments;
  command.sentence = row.sentence;
  command.options = row.options;
  command.more = "For example:\n\n" + ctl::examples_of(row);
  command.takes_file =
      row.takes == ctl::CommandRow::Takes::kFile || row.takes == ctl::CommandRow::Takes::kFiles;
  return command;
}

}  // namespace

Page glimpsed_page() {
  Page page;
  page.name = "glimpsed";
  page.section = 8;
  page.sentence = "learns a linear model from a stream while looking at few attributes";
  page.usages = {".Op Fl \\-config Ar FILE\n.Op Ar options"};
  page.description = help_beginning();
  page.options = option_table();
  auto& last = page.options.back().rows;
  last.insert(last.end(), command_line_options().begin(), command_line_options().end());
  std::string exit(help_end());
  page.behind_options = {
      {"SIGNALS",
       "SIGTERM and SIGINT: stop reading, learn what was read, write a last checkpoint, exit with 0.\n\n"
       "SIGHUP: read the configuration, tokens and certificates again."},
      {"FILES", GLIMPSE_CONFIGURATION
       ": the options of the systemd unit.\n\n"
       "/var/lib/glimpse: its checkpoints.\n\n"
       "/run/glimpse/http.sock and /run/glimpse-stream.sock: its doors, for the group glimpse."},
      {"EXIT STATUS", exit.substr(exit.find(kExit) + kExit.size())}};
  page.see_also = {{"glimpse-gen", 1},
                   {"glimpsectl", 1},
                   {"glimpse-checkpoint", 5},
                   {"glimpsed.conf", 5},
                   {"glimpse-stream", 7}};
  return page;
}

Page glimpsed_conf_page() {
  Page page;
  page.name = "glimpsed.conf";
  page.section = 5;
  page.sentence = "options of glimpsed, what they trade against what, and their defaults";
  page.description =
      "The file that glimpsed --config names; the systemd unit's is " GLIMPSE_CONFIGURATION ".";
  for (const std::string& paragraph : configuration_rules()) page.description += "\n\n" + paragraph;
  page.options = option_table();
  page.see_also = {{"glimpsed", 8}};
  page.is_file = true;
  return page;
}

Page glimpsectl_page() {
  Page page;
  page.name = "glimpsectl";
  page.sentence = "asks a running glimpsed, or looks into a checkpoint";
  page.usages = {".Op Ar options\n.Ar command"};
  page.description = ctl::help_sentence();
  page.options = {{"", ctl::common_options()}};
  page.options.front().rows.push_back({"help", "print this", OptionKind::word()});
  page.options.front().rows.push_back({"version", "print the version", OptionKind::word()});
  for (const ctl::CommandRow& row : ctl::command_table()) page.commands.push_back(ctl_command(row));
  std::string exit;
  for (const auto& [status, meaning] : ctl::exit_statuses())
    exit += fmt::format("{}{}: {}.", exit.empty() ? "" : "\n\n", status, meaning);
  page.behind_options = {{"ENVIRONMENT", "GLIMPSE_SERVER: the daemon's address where --server is not given."},
                         {"EXIT STATUS", exit}};
  page.see_also = {{"glimpse-checkpoint", 5}, {"glimpse-stream", 7}, {"glimpsed", 8}};
  return page;
}

Page gen_page() { return tool_page(gen_command(), "examples of simulated sets, for glimpsed"); }

Page mnist_page() { return tool_page(mnist_command(), "two digits of MNIST as examples, for glimpsed"); }

std::vector<Page> all_pages() {
  return {glimpsed_page(), glimpsed_conf_page(), glimpsectl_page(), gen_page(), mnist_page()};
}

}  // namespace glimpse::manual
