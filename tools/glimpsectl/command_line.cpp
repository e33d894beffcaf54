#include "glimpsectl/command_line.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/program_options.hpp>

#include "base/option.h"
#include "data/text/text.h"
#include "glimpsectl/command_table.h"
#include "glimpsectl/option_readers.h"

namespace glimpse::ctl {
namespace {

namespace po = boost::program_options;

/// All options of all commands, so that one which belongs to another command is called that and not unknown.
/// Values stay text: the library's own numbers would take -1 for a huge one.
po::options_description all_options() {
  po::options_description options;
  auto add = options.add_options();
  add("help,h", "")("version", "")("arguments", po::value<std::vector<std::string>>());
  const auto add_rows = [&](const std::vector<CommandOption>& rows) {
    for (const CommandOption& row : rows) {
      if (options.find_nothrow(row.name, false) != nullptr) continue;
      if (row.type.is_flag)
        add(row.name, "");
      else if (row.name == std::string_view("output"))
        add("output,o", po::value<std::string>());
      else if (row.type.is_repeated)
        add(row.name, po::value<std::vector<std::string>>());
      else
        add(row.name, po::value<std::string>());
    }
  };
  add_rows(common_options());
  for (const CommandRow& command : command_table()) add_rows(command.options);
  return options;
}

using Words = std::vector<std::string>;

std::string nearest_option(std::string_view given) {
  given.remove_prefix(std::min(given.find_first_not_of('-'), given.size()));
  std::vector<std::string_view> names{"help", "version"};
  for (const CommandOption& row : common_options()) names.push_back(row.name);
  for (const CommandRow& command : command_table())
    for (const CommandOption& row : command.options) names.push_back(row.name);
  const std::string nearest = nearest_name(given, names);
  return nearest.empty() ? std::string() : fmt::format("; did you mean '--{}'?", nearest);
}

Result<po::variables_map> parse_options(const Words& arguments) {
  for (const std::string& word : arguments)
    if (word.starts_with('-') && holds_placeholder(word))
      return refused(fmt::format("unrecognised option '{}'", word));
  try {
    const auto options = all_options();
    po::positional_options_description positional;
    positional.add("arguments", -1);
    using namespace po::command_line_style;
    const auto parsed = po::command_line_parser(arguments)
                            .options(options)
                            .positional(positional)
                            .style(unix_style & ~allow_guessing)
                            .run();
    po::variables_map values;
    po::store(parsed, values);
    return values;
  } catch (const po::unknown_option& error) {
    return refused(error.what() + nearest_option(error.get_option_name()));
  } catch (const po::error& error) {
    return refused(error.what());
  }
}

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
  if (!words.empty()) line.file = words.front();
  if (line.file.empty()) return refused(fmt::format("{} '' must be a file or -", command.name));
  if (command.command == Command::kInspect && words.empty())
    return refused("checkpoint inspect needs a file");
  return {};
}

// Of an option that was given.
Words values_of(const CommandOption& row, const po::variables_map& values) {
  if (row.type.is_flag) return {""};
  if (row.type.is_repeated) return values[row.name].as<Words>();
  return {values[row.name].as<std::string>()};
}

/// The values, in the order of the rows. Errors: of another command, or refused by its row.
Status read_options(const CommandRow& command, const po::variables_map& values, CommandLine& line) {
  constexpr std::array<std::string_view, 3> kSpecial{"help", "version", "arguments"};
  const auto row_of = [](const std::vector<CommandOption>& rows, std::string_view name) {
    return std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
  };
  for (const auto& [name, value] : values) {
    if (std::find(kSpecial.begin(), kSpecial.end(), name) != kSpecial.end()) continue;
    if (!row_of(common_options(), name) && !row_of(command.options, name))
      return refused(fmt::format("--{} is not an option of {}", name, command.name));
    line.given.push_back(name);
  }
  for (const auto* rows : {&common_options(), &command.options})
    for (const CommandOption& row : *rows) {
      if (!line.has(row.name)) continue;
      for (const std::string& value : values_of(row, values))
        GLIMPSE_TRY(row.type.read(line, row.name, value));
    }
  return command.settle != nullptr ? command.settle(line) : Status();
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
  const bool is_plan = line.command == Command::kAsk && !line.plan.for_prediction;
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

bool CommandLine::has(std::string_view option) const {
  return std::find(given.begin(), given.end(), option) != given.end();
}

Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments,
                                       std::string_view default_server) {
  const auto passed = std::ranges::find(arguments, "--");
  GLIMPSE_TRY_ASSIGN(const auto values, parse_options({arguments.begin(), passed}));
  CommandLine line;
  if (values.count("help") > 0) return line;
  line.command = Command::kVersion;
  if (values.count("version") > 0) return line;

  Words words;
  if (values.count("arguments") > 0) words = values["arguments"].as<Words>();
  GLIMPSE_TRY_ASSIGN(const auto command, find_command(words));
  line.command = command->command;
  if (command->takes == CommandRow::Takes::kTables && passed != arguments.end())
    line.passed.assign(passed + 1, arguments.end());
  else if (passed != arguments.end())
    words.insert(words.end(), passed + 1, arguments.end());
  GLIMPSE_TRY(take_arguments(*command, words, line));
  GLIMPSE_TRY(read_options(*command, values, line));
  GLIMPSE_TRY(settle_server(*command, default_server, line));
  return line;
}

}  // namespace glimpse::ctl
