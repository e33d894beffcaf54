#include "daemon/config/command_line.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <sstream>

#include <boost/program_options.hpp>

#include "base/option_words.h"
#include "daemon/config/option_rules.h"
#include "daemon/config/option_table.h"
#include "data/text/nearest_name.h"
#include "data/text/text.h"

namespace glimpse {

namespace po = boost::program_options;

namespace {

constexpr unsigned kColumns = 100;  // of --help

template <class Use>
void for_each_option(const Use& use) {
  for (const OptionSection& section : option_table())
    for (const DaemonOption& option : section.rows) use(option);
}

std::string sentence_of(const DaemonOption& option) {
  const std::string sentence = option.sentence;
  const bool says_it =
      *option.standard == '\0' || option.type.is_flag || sentence.find("default") != std::string::npos;
  return says_it ? sentence : fmt::format("{}; default {}", sentence, option.standard);
}

void describe(const DaemonOption& option, po::options_description& section) {
  auto add = section.add_options();
  const std::string sentence = sentence_of(option);
  if (option.type.is_flag) {
    add(option.name, sentence.c_str());
  } else if (option.type.is_repeated) {
    add(option.name, po::value<std::vector<std::string>>()->value_name(option.value), sentence.c_str());
  } else {
    add(option.name, po::value<std::string>()->value_name(option.value), sentence.c_str());
  }
}

// "; did you mean '--budget'?" for `given`, with what stands in front of an option there.
std::string nearest_option(std::string_view given, std::string_view dashes) {
  given.remove_prefix(std::min(given.find_first_not_of('-'), given.size()));
  std::vector<std::string> names = option_names();
  names.insert(names.end(), {"config", "check-config", "help", "version"});
  const std::string nearest = nearest_name(given, std::vector<std::string_view>(names.begin(), names.end()));
  return nearest.empty() ? std::string() : fmt::format("; did you mean '{}{}'?", dashes, nearest);
}

// "unrecognised option '--budg'; did you mean '--budget'?"
std::string unknown_option(const po::unknown_option& error) {
  const std::string given = error.get_option_name();
  const bool on_command_line = given.starts_with('-');
  return error.what() + nearest_option(given, on_command_line ? "--" : "");
}

// All values are texts: the library's own numbers would take -1 for a huge one.
po::options_description described_options() {
  po::options_description all;
  for (const OptionSection& section : option_table()) {
    po::options_description described(section.title, kColumns);
    if (&section == &option_table().back())
      described.add_options()("config", po::value<std::string>()->value_name("FILE"),
                              "read options from a file of lines 'name = value'; the command line wins");
    for (const DaemonOption& option : section.rows) describe(option, described);
    if (&section == &option_table().back())
      described.add_options()("check-config", "check the options and the files they name, and end")(
          "help,h", "print this")("version", "print the version");
    all.add(described);
  }
  return all;
}

// "on", "off" and nothing beside the name of an option without a value, as configuration files write them.
Status insert_flags(po::basic_parsed_options<char>& parsed, const std::string& place) {
  std::vector<std::string> flags;
  for_each_option([&](const DaemonOption& option) {
    if (option.type.is_flag) flags.emplace_back(option.name);
  });
  std::vector<po::basic_option<char>> kept;
  for (auto& option : parsed.options) {
    const bool is_flag = std::find(flags.begin(), flags.end(), option.string_key) != flags.end();
    if (is_flag && !option.value.empty()) {
      const std::string value = option.value.front();
      if (value == "off") continue;
      if (value != "on" && !value.empty())
        return failure(ErrorCode::kInvalidOption, "{}{} = {}: must be on or off", place, option.string_key,
                       value);
      option.value.clear();
    }
    kept.push_back(option);
  }
  parsed.options = kept;
  return {};
}

Status store_command_line(const std::vector<std::string>& arguments, po::variables_map& variables) {
  for (const std::string& word : arguments)
    if (word.starts_with('-') && holds_placeholder(word))
      return failure(ErrorCode::kInvalidOption, "unrecognised option '{}'", word);
  po::options_description all;
  all.add(described_options()).add_options()("arguments", po::value<std::vector<std::string>>());
  po::store(po::command_line_parser(arguments)
                .options(all)
                .positional(po::positional_options_description().add("arguments", -1))
                .style(po::command_line_style::unix_style & ~po::command_line_style::allow_guessing)
                .run(),
            variables);
  if (variables.count("arguments") == 0) return {};
  const std::string first = variables["arguments"].as<std::vector<std::string>>().front();
  return failure(
      ErrorCode::kInvalidOption,
      "argument '{}': there are options alone, which begin with --; a file is read by --input FILE, and an "
      "option that is on or off takes no value here{}",
      first, nearest_option(first, "--"));
}

// Where the options of a file stand: "glimpsed.conf: line 3: ".
using Origins = GivenOptions;

// Line by line, so that what is wrong has a place.
Status store_file(const std::string& file, po::variables_map& variables, Origins& origins) {
  std::ifstream stream(file);
  if (!stream) return invalid_option("config", file, "cannot be read");
  const po::options_description options = described_options();  // `parsed` points to it
  po::basic_parsed_options<char> all(&options);
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    const std::string place = fmt::format("{}: line {}: ", file, number);
    if (holds_placeholder(line))
      return failure(ErrorCode::kInvalidOption, "{}unrecognised option '{}'", place, line);
    try {
      std::istringstream one(line + '\n');
      auto parsed = po::parse_config_file(one, options);
      if (const Status status = insert_flags(parsed, place); !status) return status;
      for (auto& option : parsed.options) {
        if (variables.count(option.string_key) == 0) origins[option.string_key] = place;
        all.options.push_back(std::move(option));
      }
    } catch (const po::unknown_option& error) {
      return failure(ErrorCode::kInvalidOption, "{}{}", place, unknown_option(error));
    } catch (const po::invalid_config_file_syntax&) {
      return failure(ErrorCode::kInvalidOption, "{}{} is not 'name = value'", place, quoted(line));
    } catch (const po::error& error) {
      return failure(ErrorCode::kInvalidOption, "{}{}", place, error.what());
    }
  }
  try {
    po::store(all, variables);
  } catch (const po::error& error) {
    return failure(ErrorCode::kInvalidOption, "{}: {}", file, error.what());
  }
  return {};
}

Status store(const std::vector<std::string>& arguments, po::variables_map& variables, Origins& origins) {
  try {
    if (const Status status = store_command_line(arguments, variables); !status) return status;
  } catch (const po::unknown_option& error) {
    return failure(ErrorCode::kInvalidOption, "{}", unknown_option(error));
  } catch (const po::error& error) {
    return failure(ErrorCode::kInvalidOption, "{}", error.what());
  }
  if (variables.count("config") == 0) return {};
  return store_file(variables["config"].as<std::string>(), variables, origins);
}

// The values of an option in the order given; "on" of a flag.
std::vector<std::string> values_of(const DaemonOption& option, const po::variables_map& variables) {
  if (variables.count(option.name) == 0) return {};
  if (option.type.is_flag) return {"on"};
  if (option.type.is_repeated) return variables[option.name].as<std::vector<std::string>>();
  return {variables[option.name].as<std::string>()};
}

}  // namespace

Result<Invocation> parse_command_line(const std::vector<std::string>& arguments) {
  po::variables_map variables;
  Origins origins;
  if (const Status status = store(arguments, variables, origins); !status) return status.error();
  Invocation invocation;
  if (variables.count("help") > 0 || variables.count("version") > 0) {
    invocation.action =
        variables.count("help") > 0 ? Invocation::Action::kHelp : Invocation::Action::kVersion;
    return invocation;
  }
  if (variables.count("check-config") > 0) invocation.action = Invocation::Action::kCheck;
  Configuration& c = invocation.configuration;
  GivenOptions given;
  Status status;
  for_each_option([&](const DaemonOption& option) {
    for (const std::string& value : values_of(option, variables)) {
      if (status) {
        status = option.type.read(c, option.name, value);
        if (const auto origin = origins.find(option.name); !status && origin != origins.end())
          status = failure(status.error().code, "{}{}", origin->second, status.error().message);
      }
      given[option.name] = value;
    }
  });
  if (!status) return status.error();
  if (c.inputs.empty() && c.listen.empty() && !c.http) c.inputs.push_back("-");
  resolve_algorithm(c, given);
  if (const Status broken = check_rules(c, given, origins); !broken) return broken.error();
  return invocation;
}

Status check_files(const Configuration& c) {
  const std::pair<const char*, const std::string&> files[] = {
      {"attributes", c.attributes_file}, {"costs", c.costs_file},         {"moments", c.moments_file},
      {"token-file", c.token_file},      {"tls-cert", c.tls_certificate}, {"tls-key", c.tls_key}};
  for (const auto& [option, file] : files)
    if (!file.empty() && !std::ifstream(file)) return invalid_option(option, file, "cannot be read");
  return {};
}

std::string help_text() {
  std::ostringstream out;
  out << "glimpsed learns a linear model from a stream while looking at a few attributes of each example.\n\n"
         "  cat table.csv | glimpsed --label price --budget 5\n"
         "  producer | glimpsed --dimension 784 --budget 57 --state-directory state\n"
         "  glimpsed --dimension 784 --budget 57 --listen tcp:127.0.0.1:9317 --http 127.0.0.1:9318\n\n"
         "Labelled examples are learned from, unlabelled ones answered with a prediction. Every option may "
         "stand in the\n"
         "file of --config as 'name = value'; conf/glimpsed.conf lists them all with their trade-offs.\n"
      << described_options()
      << "\nExit status: 0 done; 1 failed while running or could not start; 2 the options are wrong.\n";
  return out.str();
}

std::vector<std::string> option_names() {
  std::vector<std::string> names;
  for_each_option([&](const DaemonOption& option) { names.emplace_back(option.name); });
  return names;
}

}  // namespace glimpse
