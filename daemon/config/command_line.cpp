#include "daemon/config/command_line.h"

#include <fmt/format.h>
#include <utility>

#include "daemon/config/option_table.h"

namespace glimpse {

namespace {

template <class Use>
void for_each_option(const Use& use) {
  for (const OptionSection& section : option_table())
    for (const DaemonOption& option : section.rows) use(option);
}

}  // namespace

Result<Invocation> parse_command_line(const std::vector<std::string>& arguments) {
  GLIMPSE_TRY_ASSIGN(auto read, read_given_values(arguments));
  Invocation invocation;
  if (read.asks_for_help || read.asks_for_version) {
    invocation.action = read.asks_for_help ? Invocation::Action::kHelp : Invocation::Action::kVersion;
    return invocation;
  }
  if (read.asks_for_check) invocation.action = Invocation::Action::kCheck;
  invocation.dry_run = read.dry_run;
  if (read.dry_run != DryRun::kNo) invocation.action = Invocation::Action::kDryRun;
  invocation.overridden = std::move(read.overridden);
  Configuration& c = invocation.configuration;
  GivenOptions& given = c.given;
  for (const auto& [option, value, place] : read.values) {
    if (Status status = option->type.read(c, option->name, value); !status)
      return failure(status.error().code, "{}{}", place, status.error().message);
    given[option->name] = value;
    if (!place.empty()) invocation.places.emplace(option->name, place);
  }
  if (c.inputs.empty() && c.listen.empty() && c.http.empty()) c.inputs.push_back("-");
  resolve_algorithm(c, given);
  GLIMPSE_TRY(check_rules(c, given, invocation.places));
  return invocation;
}

std::string_view help_beginning() {
  return "glimpsed learns a linear model from a stream while looking at a few attributes of each example.\n\n"
         "  cat table.csv | glimpsed --label price --budget 5\n"
         "  producer | glimpsed --dimension 784 --budget 57 --state-directory state\n"
         "  glimpsed --dimension 784 --budget 57 --listen tcp:127.0.0.1:9317 --http 127.0.0.1:9318\n\n"
         "Labelled examples are learned from, unlabelled ones answered with a prediction. Every option may "
         "stand in the\n"
         "file of --config as 'name = value'; conf/glimpsed.conf lists them all with their trade-offs.\n";
}

std::string_view help_end() {
  return "\nExit status: 0 done; 1 failed while running or could not start; 2 the options are wrong.\n";
}

std::string help_text() {
  std::string text(help_beginning());
  text += options_help();
  text += help_end();
  return text;
}

std::vector<std::string> option_names() {
  std::vector<std::string> names;
  for_each_option([&](const DaemonOption& option) { names.emplace_back(option.name); });
  return names;
}

}  // namespace glimpse
