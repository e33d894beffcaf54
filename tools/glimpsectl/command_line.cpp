#include "glimpsectl/command_line.h"

#include <algorithm>
#include <utility>

#include "base/command_line.h"
#include "data/text/text.h"
#include "glimpsectl/command_table.h"
#include "glimpsectl/option_readers.h"

namespace glimpse::ctl {
namespace {

/// All options of all commands, so that one which belongs to another command is called that and not unknown.
std::vector<const OptionRow*> all_options() {
  static const std::vector<OptionRow> own{{"help", "", OptionKind::word()},
                                          {"version", "", OptionKind::word()}};
  std::vector<const OptionRow*> options;
  const auto add = [&](const std::vector<OptionRow>& rows) {
    for (const OptionRow& row : rows) options.push_back(&row);
  };
  add(own);
  add(common_options());
  for (const CommandRow& command : command_table()) add(command.options);
  return options;
}

using Words = std::vector<std::string>;

Result<const CommandRow*> find_command(Words& words) {
  if (words.empty()) return refused("a command is missing (glimpsectl --help lists them)");
  std::string name = words.front();
  words.erase(words.begin());
  const bool has_second = !words.empty() && (words.front() == "inspect" || words.front() == "merge");
  if (name == "checkpoint" && has_second) {
    name += " " + words.front();
    words.erase(words.begin());
  }
  const auto& table = command_table();
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& c) { return c.name == name; });
  if (found == table.end()) {
    std::vector<std::string_view> names;
    for (const CommandRow& command : table) names.push_back(command.name);
    return refused(fmt::format("'{}' is not a command (glimpsectl --help lists them){}", name,
                               did_you_mean(name, names)));
  }
  return &*found;
}

Status take_arguments(const CommandRow& command, const Words& words, CommandLine& line) {
  if (command.takes == CommandRow::Takes::kIds) {
    if (words.empty())
      return refused(fmt::format("{} needs the ids of plans (glimpsectl plans lists them)", command.name));
    line.ids = words;
    return {};
  }
  if (command.takes == CommandRow::Takes::kCheckpoint) {
    if (words.size() != 1)
      return refused(fmt::format("{} needs one checkpoint, not {} (glimpsectl checkpoints lists them)",
                                 command.name, words.size()));
    return read_checkpoint_name(std::string(command.name), words.front(), line);
  }
  if (command.takes == CommandRow::Takes::kTables) {
    if (words.empty()) return refused(fmt::format("{} needs a file", command.name));
    line.files = words;
    return {};
  }
  if (command.takes == CommandRow::Takes::kFiles) {
    constexpr std::size_t kFewest = 2;
    if (words.size() < kFewest)
      return refused(fmt::format("{} needs {} files or more, not {}", command.name, kFewest, words.size()));
    line.files = words;
    return {};
  }
  const bool takes_file = command.takes == CommandRow::Takes::kFile;
  const std::size_t most = takes_file ? 1 : 0;
  if (words.size() > most)
    return refused(fmt::format("{} does not take '{}': {}", command.name, words[most],
                               takes_file ? "one file alone" : "it has no arguments"));
  line.files = words;
  if (!words.empty()) line.file = words.front();
  if (line.file.empty()) return refused(fmt::format("{} '' must be a file or -", command.name));
  if (command.name == "checkpoint inspect" && words.empty())
    return refused("checkpoint inspect needs a file");
  return {};
}

Status check_json(const CommandRow& command, const CommandWords& given) {
  if (command.no_json.empty() || !given.has("json")) return {};
  return refused(fmt::format("--json is of no use to {}: {}", command.name, command.no_json));
}

/// The values, in the order of the rows. Errors: of another command, or refused by its row.
Status read_options(const CommandRow& command, const CommandWords& given, CommandLine& line) {
  for (const auto& [name, value] : given.options) {
    if (find_row(common_options(), name) == nullptr && find_row(command.options, name) == nullptr)
      return refused(fmt::format("--{} is not an option of {}", name, command.name));
    line.given.push_back(name);
  }
  GLIMPSE_TRY(check_json(command, given));
  for (const auto* rows : {&common_options(), &command.options})
    for (const OptionRow& row : *rows)
      for (const std::string& value : given.values_of(row.name)) GLIMPSE_TRY(row.read(line, value));
  return command.settle != nullptr ? command.settle(line) : Status();
}

/// Those behind --, of which glimpsed would say that they were given twice, or which change what is run.
Status check_passed(const CommandRow& command, const Words& passed) {
  for (const std::string& word : passed) {
    if (!word.starts_with("--")) continue;
    const std::string name = word.substr(2, word.find('=') - 2);
    if (command.gives.find(" " + name + " ") == std::string_view::npos) continue;
    return refused(
        find_row(command.options, name) != nullptr
            ? fmt::format("--{} is an option of {} itself: it stands in front of --", name, command.name)
            : fmt::format("--{} behind -- is decided by {} itself: leave it out", name, command.name));
  }
  return {};
}

/// Those behind --.
Status read_table_options(const Words& passed, CommandLine& line, Words& words) {
  std::vector<const OptionRow*> rows;
  for (const OptionRow& row : table_options()) rows.push_back(&row);
  GLIMPSE_TRY_ASSIGN(const CommandWords given, take_apart(passed, rows));
  words.insert(words.end(), given.words.begin(), given.words.end());
  for (const auto& [name, value] : given.options) {
    GLIMPSE_TRY(find_row(table_options(), name)->read(line, value));
    line.passed.push_back("--" + name);
  }
  return {};
}

/// Of a line that names none.
Status take_usual_server(const CommandRow& command, std::string_view default_server, CommandLine& line) {
  if (!line.server.text.empty()) return {};
  const bool stream = command.door == CommandRow::Door::kStream;
  auto address = parse_server_address(stream ? kDefaultStream : default_server);
  if (!address) {
    Error error = address.error();
    error.message += " (from $GLIMPSE_SERVER)";
    return error;
  }
  address->token = line.server.token;
  address->authorities = line.server.authorities;
  line.server = std::move(*address);
  return {};
}

Status settle_server(const CommandRow& command, std::string_view default_server, CommandLine& line) {
  if (command.door == CommandRow::Door::kNone && line.model.empty()) return {};
  if (!line.model.empty() && line.has("server"))
    return refused(fmt::format("--model '{}' and --server '{}' are two models: give one of them", line.model,
                               line.server.text));
  const bool is_plan = command.name == "ask" && !line.plan.for_prediction;
  if (!line.model.empty() && (!command.reads_model || is_plan))
    return refused(fmt::format("--model '{}' is of commands that read a model: {} needs a running daemon",
                               line.model, command.name));
  if (!line.model.empty()) return {};
  GLIMPSE_TRY(take_usual_server(command, default_server, line));
  const ServerAddress& server = line.server;
  if (server.authorities.empty() || server.is_tls) return {};
  return refused(fmt::format("--ca '{}' is for TLS, and {} is not: {}", server.authorities, server.text,
                             server.is_unix() ? "leave it out" : "name it " + server.with_tls(true)));
}

}  // namespace

std::string as_typed(const CommandLine& line, std::string message) {
  const CommandRow& row = *line.row;
  if (row.takes != CommandRow::Takes::kTables && !row.reads_table) return message;
  if (message.find("glimpsectl ") != std::string::npos) return message;  // of the command that it names
  constexpr std::string_view kOption = " --";
  for (std::size_t at = message.find(kOption); at != std::string::npos; at = message.find(kOption, at)) {
    const std::size_t begin = at + kOption.size();
    const std::size_t end =
        std::min(message.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", begin), message.size());
    const std::string_view name = std::string_view(message).substr(begin, end - begin);
    if (name.empty()) {  // what follows stands behind --
      at = end + kOption.size();
    } else if (find_row(common_options(), name) != nullptr || find_row(row.options, name) != nullptr) {
      at = end;
    } else if (!row.reads_table || find_row(table_options(), name) != nullptr) {
      message.insert(at, kOption);
      at = end + kOption.size();
    } else {
      const std::size_t clause = message.find_last_of(":;", at);
      const std::size_t next = std::min(message.find(';', end), message.size());
      message.erase(clause == std::string::npos ? at : clause,
                    next - (clause == std::string::npos ? at : clause));
      at = std::min(at, message.size());
    }
  }
  return message;
}

bool CommandLine::has(std::string_view option) const {
  return std::find(given.begin(), given.end(), option) != given.end();
}

Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments,
                                       std::string_view default_server) {
  const auto passed = std::ranges::find(arguments, "--");
  GLIMPSE_TRY_ASSIGN(const CommandWords given, take_apart({arguments.begin(), passed}, all_options()));
  CommandLine line;
  line.table.delimiter = 0;
  Words words = given.words;
  const bool asks_for_help = given.has("help") || (!words.empty() && words.front() == "help");
  if (asks_for_help) {
    if (!words.empty() && words.front() == "help") words.erase(words.begin());
    if (!words.empty()) {
      GLIMPSE_TRY_ASSIGN(line.helped, find_command(words));
    }
    words = {"help"};
  } else if (given.has("version")) {
    words = {"version"};
  }
  GLIMPSE_TRY_ASSIGN(const auto command, find_command(words));
  line.row = command;
  if (asks_for_help || given.has("version")) {
    GLIMPSE_TRY(check_json(*command, given));
    return line;
  }
  if (command->reads_table)
    GLIMPSE_TRY(
        read_table_options({passed == arguments.end() ? passed : passed + 1, arguments.end()}, line, words));
  else if (command->takes == CommandRow::Takes::kTables && passed != arguments.end()) {
    line.passed.assign(passed + 1, arguments.end());
    GLIMPSE_TRY(check_passed(*command, line.passed));
  } else if (passed != arguments.end())
    words.insert(words.end(), passed + 1, arguments.end());
  GLIMPSE_TRY(take_arguments(*command, words, line));
  GLIMPSE_TRY(read_options(*command, given, line));
  GLIMPSE_TRY(settle_server(*command, default_server, line));
  return line;
}

}  // namespace glimpse::ctl
