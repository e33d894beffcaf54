#include "glimpsectl/command_line.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include <boost/program_options.hpp>

#include "base/option_words.h"
#include "base/units.h"
#include "glimpsectl/format/json_arrays.h"
#include "glimpsectl/format/units.h"

namespace glimpse::ctl {
namespace {

namespace po = boost::program_options;

struct CommandOptions {
  std::string_view name;
  Command command;
  std::vector<std::string_view> options;  // beside those that all commands have
  enum class Takes { kNothing, kFile, kIds } takes;
};

const std::vector<CommandOptions>& commands() {
  using Takes = CommandOptions::Takes;
  static const std::vector<CommandOptions> table{
      {"status", Command::kStatus, {}, Takes::kNothing},
      {"model", Command::kModel, {"format", "fresh", "output", "top"}, Takes::kNothing},
      {"moments", Command::kMoments, {"output", "top"}, Takes::kNothing},
      {"predict", Command::kPredict, {"format"}, Takes::kFile},
      {"learn", Command::kLearn, {"format"}, Takes::kFile},
      {"send", Command::kSend, {"source", "to", "format", "dimension", "patience", "memory"}, Takes::kFile},
      {"checkpoint", Command::kCheckpoint, {}, Takes::kNothing},
      {"checkpoint inspect", Command::kInspect, {}, Takes::kFile},
      {"watch", Command::kWatch, {"every", "count"}, Takes::kNothing},
      {"ask", Command::kAsk, {"count", "available", "ttl", "for", "known"}, Takes::kNothing},
      {"tell", Command::kTell, {}, Takes::kFile},
      {"plans", Command::kPlans, {"after", "limit"}, Takes::kNothing},
      {"abandon", Command::kAbandon, {}, Takes::kIds},
      {"help", Command::kHelp, {}, Takes::kNothing},
      {"version", Command::kVersion, {}, Takes::kNothing},
  };
  return table;
}

Error refused(std::string message) { return Error{ErrorCode::kInvalidOption, std::move(message)}; }

/// All options of all commands, so that one which belongs to another command is called that and not unknown.
/// Values stay text: the library's own numbers would take -1 for a huge one.
po::options_description all_options() {
  po::options_description options;
  auto add = options.add_options();
  add("help,h", "")("version", "")("json", "")("fresh", "")("arguments",
                                                            po::value<std::vector<std::string>>());
  for (const char* name :
       {"server", "token-file", "timeout", "format", "output", "top", "every", "count", "available", "ttl",
        "for", "known", "after", "limit", "source", "to", "dimension", "patience", "memory"})
    add(name, po::value<std::string>());
  return options;
}

using Words = std::vector<std::string>;

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
  } catch (const po::error& error) {
    return refused(error.what());
  }
}

Result<const CommandOptions*> find_command(Words& words) {
  if (words.empty()) return refused("a command is missing (glimpsectl --help lists them)");
  std::string name = words.front();
  words.erase(words.begin());
  if (name == "checkpoint" && !words.empty() && words.front() == "inspect") {
    name += " inspect";
    words.erase(words.begin());
  }
  const auto& table = commands();
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& c) { return c.name == name; });
  if (found == table.end())
    return refused(fmt::format("'{}' is not a command (glimpsectl --help lists them)", name));
  return &*found;
}

Status take_arguments(const CommandOptions& command, const Words& words, CommandLine& line) {
  if (command.takes == CommandOptions::Takes::kIds) {
    if (words.empty())
      return refused(
          fmt::format("{} must be told the ids of plans (glimpsectl plans lists them)", command.name));
    line.ids = words;
    return {};
  }
  const bool takes_file = command.takes == CommandOptions::Takes::kFile;
  const std::size_t most = takes_file ? 1 : 0;
  if (words.size() > most)
    return refused(fmt::format("{} does not take '{}': {}", command.name, words[most],
                               takes_file ? "one file alone" : "it has no arguments"));
  if (!words.empty()) line.file = words.front();
  if (line.file.empty()) return refused(fmt::format("{} '' must be a file or -", command.name));
  if (command.command == Command::kInspect && words.empty())
    return refused("checkpoint inspect must be told a file");
  return {};
}

Status check_options(const CommandOptions& command, const po::variables_map& values) {
  constexpr std::array<std::string_view, 7> kEverywhere{"server", "token-file", "timeout",  "json",
                                                        "help",   "version",    "arguments"};
  const auto has = [](const auto& list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const auto& [name, value] : values)
    if (!has(kEverywhere, name) && !has(command.options, name))
      return refused(fmt::format("--{} is not an option of {}", name, command.name));
  return {};
}

/// The format of examples is the server's to understand; only rows of f32, which are no lines, cannot be cut
/// here.
Status check_example_format(const CommandLine& line) {
  constexpr std::array<std::string_view, 6> kFormats{"", "auto", "svmlight", "vw", "csv", "ndjson"};
  if (std::find(kFormats.begin(), kFormats.end(), line.format) == kFormats.end())
    return refused(fmt::format("--format '{}' must be auto, svmlight, vw, csv or ndjson", line.format));
  return {};
}

/// Only how records are cut is of interest to the sender.
Status check_sending(const po::variables_map& values, const CommandLine& line) {
  if (values.count("server") > 0) return refused("--server is of no use to send: --to names a stream door");
  if (line.json) return refused("--json is of no use to send: the replies are lines");
  if (line.source.empty()) return refused("send must be told --source NAME, under which the daemon counts");
  constexpr std::array<std::string_view, 8> kFormats{"",    "auto",   "svmlight", "vw",
                                                     "csv", "ndjson", "f32",      "npy"};
  if (std::find(kFormats.begin(), kFormats.end(), line.format) == kFormats.end())
    return refused(
        fmt::format("--format '{}' must be auto, svmlight, vw, csv, ndjson, f32 or npy", line.format));
  if ((line.format == "f32") != (line.dimension > 0))
    return refused("--dimension and --format f32 belong together: rows have its singles and a label");
  return {};
}

/// The model's --format, --json and --top, and the moments' --json and --output, may contradict each other.
Status settle_format(const po::variables_map& values, CommandLine& line) {
  if (line.command == Command::kSend) return check_sending(values, line);
  if (line.command == Command::kPredict || line.command == Command::kLearn) return check_example_format(line);
  const bool table_wanted = values.count("top") > 0;
  if (line.command == Command::kModel) {
    if (line.json && !line.format.empty() && line.format != "json")
      return refused(fmt::format("--format '{}' contradicts --json", line.format));
    if (line.format.empty()) line.format = line.json ? "json" : "table";
    constexpr std::array<std::string_view, 4> kFormats{"table", "json", "csv", "safetensors"};
    if (std::find(kFormats.begin(), kFormats.end(), line.format) == kFormats.end())
      return refused(fmt::format("--format '{}' must be table, json, csv or safetensors", line.format));
    if (table_wanted && line.format != "table")
      return refused(fmt::format("--top '{}' is for tables, but the format is {}", line.top, line.format));
  }
  if (line.command == Command::kMoments) {
    if (line.json && !line.output.empty())
      return refused(fmt::format("--output '{}' writes CSV, which contradicts --json", line.output));
    if (table_wanted && (line.json || !line.output.empty()))
      return refused(
          fmt::format("--top '{}' is for tables, which --json and --output do not write", line.top));
  }
  return {};
}

/// "a,b,c" without the commas. Errors: an empty one.
Result<Words> parse_list(std::string_view what, const std::string& text) {
  Words items;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end == begin) return refused(fmt::format("{} '{}' must be a list such as A,B,C", what, text));
    items.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

/// "age=3,17=0.5"; the value stands behind the last '='.
Status read_known(const std::string& text, CommandLine& line) {
  const auto items = parse_list("--known", text);
  if (!items) return items.error();
  for (const std::string& item : *items) {
    const std::size_t equals = item.rfind('=');
    const auto value = equals == std::string::npos || equals == 0
                           ? Result<double>(refused("no '='"))
                           : parse_number(std::string_view(item).substr(equals + 1));
    if (!value)
      return refused(fmt::format("--known '{}' must be ATTRIBUTE=NUMBER, as in age=3,17=0.5", item));
    line.plan.known.push_back({item.substr(0, equals), *value});
  }
  return {};
}

/// Whether plans are asked for or a prediction's next attributes, and what is said of either.
Status read_question(const po::variables_map& values, CommandLine& line) {
  if (values.count("for") > 0) {
    const auto& purpose = values["for"].as<std::string>();
    if (purpose != "prediction") return refused(fmt::format("--for '{}' must be prediction", purpose));
    line.plan.for_prediction = true;
  }
  if (values.count("available") > 0) {
    auto available = parse_list("--available", values["available"].as<std::string>());
    if (!available) return available.error();
    line.plan.available = std::move(*available);
  }
  if (values.count("known") == 0) return {};
  if (!line.plan.for_prediction)
    return refused("--known is for --for prediction: a plan is made before values are");
  return read_known(values["known"].as<std::string>(), line);
}

Status read_values(const po::variables_map& values, CommandLine& line) {
  const auto text = [&](const char* name) -> const std::string* {
    return values.count(name) > 0 ? &values[name].as<std::string>() : nullptr;
  };
  for (const auto& [name, target] : {std::pair{"timeout", &line.timeout}, std::pair{"every", &line.every},
                                     std::pair{"patience", &line.patience}}) {
    if (const auto* given = text(name)) {
      const auto duration = parse_duration(*given);
      if (!duration) return refused(fmt::format("--{} '{}' {}", name, *given, duration.error().message));
      if (duration->count() == 0) return refused(fmt::format("--{} '{}' must be above 0", name, *given));
      *target = *duration;
    }
  }
  if (const auto* given = text("top")) {
    const auto top = parse_count("--top", *given);
    if (!top) return top.error();
    line.top = static_cast<std::size_t>(*top);
  }
  if (const auto* given = text("count")) {
    const auto count = parse_count("--count", *given);
    if (!count) return count.error();
    line.count = *count;
  }
  if (const auto* given = text("limit")) {
    const auto limit = parse_count("--limit", *given);
    if (!limit) return limit.error();
    line.limit = *limit;
  }
  if (const auto* given = text("dimension")) {
    const auto dimension = parse_count("--dimension", *given);
    if (!dimension) return dimension.error();
    line.dimension = static_cast<std::size_t>(*dimension);
  }
  if (const auto* given = text("memory")) {
    const auto bytes = parse_bytes(*given);
    if (!bytes) return refused(fmt::format("--memory '{}' {}", *given, bytes.error().message));
    line.memory = *bytes;
  }
  if (const auto* given = text("source")) line.source = *given;
  if (const auto* given = text("ttl")) line.plan.ttl = *given;
  if (const auto* given = text("after")) line.after = *given;
  if (const auto* given = text("format")) line.format = *given;
  if (const auto* given = text("output")) {
    if (given->empty()) return refused("--output '' must be a file or -");
    line.output = *given;
  }
  return {};
}

/// Of a file, so that no list of processes shows it: the first line, or what stands behind 'read ' or 'write
/// ' there, as in the daemon's own file.
Status read_token(const po::variables_map& values, ServerAddress& server) {
  if (values.count("token-file") == 0) return {};
  const auto& path = values["token-file"].as<std::string>();
  std::ifstream file(path);
  std::string word;
  if (!(file >> word)) return refused(fmt::format("--token-file '{}' cannot be read, or is empty", path));
  if ((word == "read" || word == "write") && !(file >> word)) word.clear();
  const auto is_odd = [](char c) { return c <= ' ' || c > '~'; };
  if (word.empty() || word.front() == '#' || std::any_of(word.begin(), word.end(), is_odd))
    return refused(fmt::format("--token-file '{}' must begin with a token of printable characters", path));
  server.token = word;
  return {};
}

}  // namespace

Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments,
                                       std::string_view default_server) {
  const auto values = parse_options(arguments);
  if (!values) return values.error();
  CommandLine line;
  line.json = values->count("json") > 0;
  line.fresh = values->count("fresh") > 0;
  if (values->count("help") > 0) return line;
  line.command = Command::kVersion;
  if (values->count("version") > 0) return line;

  Words words;
  if (values->count("arguments") > 0) words = (*values)["arguments"].as<Words>();
  const auto command = find_command(words);
  if (!command) return command.error();
  line.command = (*command)->command;
  if (auto checked = check_options(**command, *values); !checked) return checked.error();
  if (auto taken = take_arguments(**command, words, line); !taken) return taken.error();
  if (auto read = read_values(*values, line); !read) return read.error();
  if (auto read = read_question(*values, line); !read) return read.error();
  if (auto settled = settle_format(*values, line); !settled) return settled.error();

  if (line.command == Command::kSend) {
    const bool to = values->count("to") > 0;
    auto address =
        parse_server_address(to ? (*values)["to"].as<std::string>() : std::string(kDefaultStream), "--to");
    if (!address) return address.error();
    line.server = std::move(*address);
    if (auto read = read_token(*values, line.server); !read) return read.error();
    return line;
  }
  const bool needs_server = line.command != Command::kHelp && line.command != Command::kVersion &&
                            line.command != Command::kInspect;
  const bool given = values->count("server") > 0;
  if (!given && !needs_server) return line;
  auto server =
      parse_server_address(given ? (*values)["server"].as<std::string>() : std::string(default_server));
  if (!server) {
    Error error = server.error();
    if (!given) error.message += " (from $GLIMPSE_SERVER)";
    return error;
  }
  line.server = std::move(*server);
  if (auto read = read_token(*values, line.server); !read) return read.error();
  return line;
}

}  // namespace glimpse::ctl
