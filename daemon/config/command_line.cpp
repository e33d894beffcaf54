#include "daemon/config/command_line.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <thread>
#include <unistd.h>
#include <utility>

#include <boost/program_options.hpp>

#include "base/option.h"
#include "daemon/config/schema_choice.h"
#include "data/text/text.h"

namespace glimpse {

namespace po = boost::program_options;

namespace {

constexpr unsigned kColumns = 100;  // of --help

std::string sentence_of(const DaemonOption& option) {
  const std::string sentence = option.sentence;
  const bool says_it =
      *option.standard == '\0' || option.type.is_flag || sentence.find("default") != std::string::npos;
  return says_it ? sentence : fmt::format("{}; default {}", sentence, option.standard);
}

void describe(const DaemonOption& option, po::options_description& section) {
  auto add = section.add_options();
  const std::string sentence = sentence_of(option);
  if (option.name == std::string_view("help")) {
    add("help,h", sentence.c_str());
  } else if (option.type.is_flag) {
    add(option.name, sentence.c_str());
  } else if (option.type.is_repeated) {
    add(option.name, po::value<std::vector<std::string>>()->value_name(option.value), sentence.c_str());
  } else {
    add(option.name, po::value<std::string>()->value_name(option.value), sentence.c_str());
  }
}

std::vector<std::string> names_of_options() {
  std::vector<std::string> names;
  for (const DaemonOption& option : command_line_options()) names.emplace_back(option.name);
  for (const OptionSection& section : option_table())
    for (const DaemonOption& option : section.rows) names.emplace_back(option.name);
  return names;
}

// "; did you mean '--budget'?" for `given`, with what stands in front of an option there.
std::string nearest_option(std::string_view given, std::string_view dashes) {
  given.remove_prefix(std::min(given.find_first_not_of('-'), given.size()));
  const std::vector<std::string> names = names_of_options();
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
    for (const DaemonOption& option : section.rows) describe(option, described);
    if (&section == &option_table().back())
      for (const DaemonOption& option : command_line_options()) describe(option, described);
    all.add(described);
  }
  return all;
}

// What stands on the command line without an option is read.
std::vector<std::string> inputs_of(const po::variables_map& variables) {
  if (variables.count("arguments") == 0) return {};
  return variables["arguments"].as<std::vector<std::string>>();
}

Status store_command_line(const std::vector<std::string>& arguments, po::variables_map& variables) {
  for (const std::string& word : arguments)
    if (word.starts_with('-') && holds_placeholder(word))
      return failure(ErrorCode::kInvalidOption, "unrecognised option '{}'", word);
  try {
    po::options_description all;
    all.add(described_options()).add_options()("arguments", po::value<std::vector<std::string>>());
    po::store(po::command_line_parser(arguments)
                  .options(all)
                  .positional(po::positional_options_description().add("arguments", -1))
                  .style(po::command_line_style::unix_style & ~po::command_line_style::allow_guessing)
                  .run(),
              variables);
  } catch (const po::unknown_option& error) {
    return failure(ErrorCode::kInvalidOption, "{}", unknown_option(error));
  } catch (const po::error& error) {
    return failure(ErrorCode::kInvalidOption, "{}", error.what());
  }
  for (const std::string& word : inputs_of(variables))
    if (word != "-" && word.find_first_of("./") == std::string::npos && ::access(word.c_str(), F_OK) != 0)
      return failure(
          ErrorCode::kInvalidOption,
          "argument '{}': there is no such file; options begin with --, and one that is on or off takes "
          "no value here{}",
          word, nearest_option(word, "--"));
  return {};
}

std::vector<std::string> values_on_command_line(const DaemonOption& option,
                                                const po::variables_map& variables) {
  if (variables.count(option.name) == 0) return {};
  if (option.type.is_flag) return {"on"};
  if (option.type.is_repeated) return variables[option.name].as<std::vector<std::string>>();
  return {variables[option.name].as<std::string>()};
}

// Values of the file, by option, in its order.
using FileValues = std::map<std::string, std::vector<GivenValue>, std::less<>>;

const DaemonOption* row_of(std::string_view name) {
  for (const OptionSection& section : option_table())
    for (const DaemonOption& option : section.rows)
      if (name == option.name) return &option;
  return nullptr;
}

Status take_line(const std::string& line, const std::string& place, const po::options_description& options,
                 FileValues& values) {
  if (holds_placeholder(line))
    return failure(ErrorCode::kInvalidOption, "{}unrecognised option '{}'", place, line);
  try {
    std::istringstream one(line + '\n');
    for (const auto& given : po::parse_config_file(one, options).options) {
      const DaemonOption* const option = row_of(given.string_key);
      if (option == nullptr)
        return failure(ErrorCode::kInvalidOption, "{}{} belongs on the command line", place,
                       given.string_key);
      std::string value = given.value.empty() ? std::string() : given.value.front();
      if (option->type.is_flag && value.empty()) value = "on";
      if (option->type.is_flag && value != "on" && value != "off")
        return failure(ErrorCode::kInvalidOption, "{}{} = {}: must be on or off", place, given.string_key,
                       value);
      std::vector<GivenValue>& before = values[given.string_key];
      if (!before.empty() && !option->type.is_repeated)
        return failure(ErrorCode::kInvalidOption, "{}{} = {}: can be given once only, and is '{}' above",
                       place, given.string_key, value, before.front().value);
      before.push_back({option, value, place});
    }
  } catch (const po::unknown_option& error) {
    return failure(ErrorCode::kInvalidOption, "{}{}", place, unknown_option(error));
  } catch (const po::invalid_config_file_syntax&) {
    return failure(ErrorCode::kInvalidOption, "{}{} is not 'name = value'", place, in_quotes(line));
  } catch (const po::error& error) {
    return failure(ErrorCode::kInvalidOption, "{}{}", place, error.what());
  }
  return {};
}

// Line by line, so that what is wrong has a place.
Result<FileValues> read_file(const std::string& file) {
  std::ifstream stream(file);
  stream.peek();  // a folder can be opened, and not read
  if (stream.bad() || !stream.is_open()) return invalid_option("config", file, "cannot be read");
  const po::options_description options = described_options();
  FileValues values;
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number)
    GLIMPSE_TRY(take_line(line, fmt::format("{}: line {}: ", file, number), options, values));
  return values;
}

std::string on_command_line(const GivenValue& given) {
  if (given.option->type.is_flag) return fmt::format("--{}", given.option->name);
  return fmt::format("--{} {}", given.option->name, given.value);
}

// Of one option. One that is off was not given, but may have been overridden all the same.
void merge(std::vector<GivenValue> of_line, std::vector<GivenValue> of_file, GivenValues& given) {
  const bool wins = !of_line.empty() && !of_line.front().option->type.is_repeated;
  for (GivenValue& value : of_file) {
    if (!wins && !(value.option->type.is_flag && value.value == "off"))
      of_line.push_back(std::move(value));
    else if (wins && value.value != of_line.front().value)
      given.overridden.push_back(fmt::format("{}{} = {} has no effect: the command line says {}, and wins",
                                             value.place, value.option->name, value.value,
                                             on_command_line(of_line.front())));
  }
  for (GivenValue& value : of_line) given.values.push_back(std::move(value));
}

}  // namespace

const std::vector<DaemonOption>& command_line_options() {
  OptionType<Configuration> flag;
  flag.is_flag = true;
  static const std::vector<DaemonOption> rows{
      {.name = "config",
       .value = "FILE",
       .sentence = "read options from a file of lines 'name = value'; the command line wins, and what may be "
                   "repeated adds up",
       .type = {}},
      {.name = "check-config",
       .sentence = "check the options and the files they name, and end",
       .type = flag},
      {.name = "dry-run",
       .sentence =
           "print what a sample of the first input shows, and what learning would do with its columns, and "
           "end; nothing is learned",
       .type = flag},
      {.name = "json", .sentence = "of --dry-run: the same in JSON", .type = flag},
      {.name = "rows",
       .sentence = "print all records of the table that the sample shows, as CSV in UTF-8, and end",
       .type = flag},
      {.name = "help", .sentence = "print this", .type = flag},
      {.name = "version", .sentence = "print the version", .type = flag},
  };
  return rows;
}

Result<GivenValues> read_given_values(const std::vector<std::string>& arguments) {
  po::variables_map variables;
  GLIMPSE_TRY(store_command_line(arguments, variables));
  FileValues of_file;
  if (variables.count("config") > 0) {
    GLIMPSE_TRY_ASSIGN(of_file, read_file(variables["config"].as<std::string>()));
  }
  GivenValues given;
  given.asks_for_help = variables.count("help") > 0;
  given.asks_for_version = variables.count("version") > 0;
  given.asks_for_check = variables.count("check-config") > 0;
  const bool asks_for_json = variables.count("json") > 0;
  const bool asks_for_rows = variables.count("rows") > 0;
  if (asks_for_json && asks_for_rows)
    return failure(ErrorCode::kInvalidOption,
                   "--json: describes a table, and --rows prints it: give one of them");
  if (asks_for_json && variables.count("dry-run") == 0)
    return failure(ErrorCode::kInvalidOption, "--json: is of --dry-run, which is not given");
  if (asks_for_rows)
    given.dry_run = DryRun::kRows;
  else if (variables.count("dry-run") > 0)
    given.dry_run = asks_for_json ? DryRun::kJson : DryRun::kText;
  for (const OptionSection& section : option_table())
    for (const DaemonOption& option : section.rows) {
      std::vector<GivenValue> of_line;
      if (option.name == std::string_view("input"))
        for (std::string& value : inputs_of(variables)) of_line.push_back({&option, std::move(value), {}});
      for (std::string& value : values_on_command_line(option, variables))
        of_line.push_back({&option, std::move(value), {}});
      merge(std::move(of_line), std::move(of_file[option.name]), given);
    }
  return given;
}

Error placed(Error error, const OptionPlaces& places) {
  if (!error.message.starts_with("--")) return error;
  const std::string_view name =
      std::string_view(error.message).substr(2, error.message.find_first_of(" :") - 2);
  if (const auto place = places.find(name); place != places.end()) error.message.insert(0, place->second);
  return error;
}

std::string options_help() {
  std::ostringstream out;
  out << described_options();
  return out.str();
}

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
         "  glimpsed table.csv --label price --budget 5\n"
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

namespace {

// A file that was cut short while it was written must not open doors that were locked.
bool is_named_no_more(const DaemonOption& option, const Configuration& wanted) {
  return option.reload == Reload::kNamedFile && option.type.same(wanted, Configuration());
}

}  // namespace

std::vector<std::string> apply_changes(Configuration& running, const Configuration& wanted) {
  std::vector<std::string> fixed;
  for (const OptionSection& section : option_table())
    for (const DaemonOption& option : section.rows) {
      if (option.type.same(running, wanted)) continue;
      if (is_named_no_more(option, wanted)) {
        fixed.push_back(std::string(option.name) + ", which the configuration names no more,");
      } else if (option.reload == Reload::kNow || option.reload == Reload::kNamedFile) {
        option.type.copy(running, wanted);
      } else if (running.given.contains(option.name) || wanted.given.contains(option.name)) {
        fixed.emplace_back(option.name);  // else another option of the same value was given
      }
    }
  return fixed;
}

Result<Changes> reread_configuration(const std::vector<std::string>& arguments,
                                     const Configuration& running) {
  GLIMPSE_TRY_ASSIGN(const auto wanted, parse_command_line(arguments));
  Configuration next = wanted.configuration;
  if (next.learner.budget == 0 && next.budget_share == running.budget_share)
    next.learner.budget = running.learner.budget;
  if (next.learner.dimension == 0) next.learner.dimension = running.learner.dimension;
  if (next.learner.algorithm == kAutomatic) next.learner.algorithm = running.learner.algorithm;
  keep_schema(next, running);
  Changes changes{running, {}, wanted.overridden, wanted.places};
  changes.fixed = apply_changes(changes.configuration, next);
  return changes;
}

bool solves_in_background(const Configuration& c) {
  if (c.solver == SolverPlace::kAuto)
    return c.learner.dimension > kSolvedAtOnce && (!c.listen.empty() || !c.http.empty());
  return c.solver == SolverPlace::kBackground;
}

std::size_t threads_of(const Configuration& c) {
  return c.threads > 0 ? c.threads : std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
}

}  // namespace glimpse
