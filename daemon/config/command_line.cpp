#include "daemon/config/command_line.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/command_line.h"
#include "daemon/config/schema_choice.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

std::vector<const OptionRow*> rows_of_command_line() {
  std::vector<const OptionRow*> rows = option_rows();
  for (const OptionRow& row : command_line_options()) rows.push_back(&row);
  return rows;
}

std::string nearest_option(std::string_view given, std::string_view dashes) {
  std::vector<std::string_view> names;
  for (const OptionRow* const row : rows_of_command_line()) names.push_back(row->name);
  const std::string nearest = nearest_name(given, names);
  return nearest.empty() ? std::string() : fmt::format("; did you mean '{}{}'?", dashes, nearest);
}

// What stands on the command line without an option is read.
Status check_inputs(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (word != "-" && word.find_first_of("./") == std::string::npos && ::access(word.c_str(), F_OK) != 0)
      return failure(
          ErrorCode::kInvalidOption,
          "argument '{}': there is no such file; options begin with --, and one that is on or off takes "
          "no value here{}",
          word, nearest_option(word, "--"));
  return {};
}

// Values of the file, by option, in its order.
using FileValues = std::map<std::string, std::vector<GivenValue>, std::less<>>;

// '#' begins a comment, unless it is of the number of a column: "label = #5", "ignore = id,#5".
std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    const std::string_view before = trimmed(line.substr(0, at));
    const bool is_digit = at + 1 < line.size() && line[at + 1] >= '0' && line[at + 1] <= '9';
    if (!is_digit || !(before.ends_with('=') || before.ends_with(','))) return line.substr(0, at);
  }
  return line;
}

Status take_line(std::string_view text, const std::string& place, FileValues& values) {
  const std::string_view line = trimmed(without_comment(text));
  if (line.empty()) return {};
  const std::size_t equals = line.find('=');
  if (equals == std::string::npos)
    return failure(ErrorCode::kInvalidOption, "{}{} is not 'name = value'", place, in_quotes(line));
  const std::string name(trimmed(line.substr(0, equals)));
  std::string value(trimmed(line.substr(equals + 1)));
  const auto row = std::ranges::find(option_rows(), name, &OptionRow::name);
  if (row == option_rows().end() && find_row(command_line_options(), name) != nullptr)
    return failure(ErrorCode::kInvalidOption, "{}{} belongs on the command line", place, name);
  if (row == option_rows().end())
    return failure(ErrorCode::kInvalidOption, "{}unrecognised option {}{}", place, in_quotes(name),
                   nearest_option(name, ""));
  const OptionKind& kind = (*row)->kind;
  if (kind.is_flag && value.empty()) value = "on";
  if (kind.is_flag && value != "on" && value != "off")
    return failure(ErrorCode::kInvalidOption, "{}{} = {}: must be on or off", place, name, value);
  std::vector<GivenValue>& before = values[name];
  if (!before.empty() && !kind.is_repeated)
    return failure(ErrorCode::kInvalidOption, "{}{} = {}: can be given once only, and is '{}' above", place,
                   name, value, before.front().value);
  before.push_back({*row, value, place});
  return {};
}

// Line by line, so that what is wrong has a place.
Result<FileValues> read_file(const std::string& file) {
  std::ifstream stream(file);
  stream.peek();  // a folder can be opened, and not read
  if (stream.bad() || !stream.is_open()) return invalid_option("config", file, "cannot be read");
  FileValues values;
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number)
    GLIMPSE_TRY(take_line(line, fmt::format("{}: line {}: ", file, number), values));
  return values;
}

std::string on_command_line(const GivenValue& given) {
  if (given.option->kind.is_flag) return fmt::format("--{}", given.option->name);
  return fmt::format("--{} {}", given.option->name, given.value);
}

// Of one option. One that is off was not given, but may have been overridden all the same.
void merge(std::vector<GivenValue> of_line, std::vector<GivenValue> of_file, GivenValues& given) {
  const bool wins = !of_line.empty() && !of_line.front().option->kind.is_repeated;
  for (GivenValue& value : of_file) {
    if (!wins && !(value.option->kind.is_flag && value.value == "off"))
      of_line.push_back(std::move(value));
    else if (wins && value.value != of_line.front().value)
      given.overridden.push_back(fmt::format("{}{} = {} has no effect: the command line says {}, and wins",
                                             value.place, value.option->name, value.value,
                                             on_command_line(of_line.front())));
  }
  for (GivenValue& value : of_line) given.values.push_back(std::move(value));
}

}  // namespace

const std::vector<OptionRow>& command_line_options() {
  using Types = OptionKind;
  static const std::vector<OptionRow> rows{
      {"config FILE",
       "read options from a file of lines 'name = value'; the command line wins, and what may be "
       "repeated adds up",
       Types::value()},
      {"check-config", "check the options and the files they name, and end", Types::word()},
      {"dry-run",
       "print what a sample of the first input shows, and what learning would do with its columns, and "
       "end; nothing is learned",
       Types::word()},
      {"json", "of --dry-run: the same in JSON", Types::word()},
      {"rows", "print all records of the table that the sample shows, as CSV in UTF-8, and end",
       Types::word()},
      {"help", "print the options that matter most; --help all prints all", Types::word()},
      {"version", "print the version", Types::word()},
  };
  return rows;
}

Result<GivenValues> read_given_values(const std::vector<std::string>& arguments) {
  GLIMPSE_TRY_ASSIGN(const CommandWords words, take_apart(arguments, rows_of_command_line()));
  GivenValues given;
  given.asks_for_help = words.has("help");
  given.asks_for_all_help = given.asks_for_help && std::ranges::count(words.words, "all") > 0;
  given.asks_for_version = words.has("version");
  if (given.asks_for_help || given.asks_for_version) return given;
  GLIMPSE_TRY(check_inputs(words.words));
  FileValues of_file;
  for (const std::string& file : words.values_of("config")) {
    GLIMPSE_TRY_ASSIGN(of_file, read_file(file));
  }
  given.asks_for_check = words.has("check-config");
  const bool asks_for_json = words.has("json");
  const bool asks_for_rows = words.has("rows");
  if (asks_for_json && asks_for_rows)
    return failure(ErrorCode::kInvalidOption,
                   "--json: describes a table, and --rows prints it: give one of them");
  if (asks_for_json && !words.has("dry-run"))
    return failure(ErrorCode::kInvalidOption, "--json: is of --dry-run, which is not given");
  if (asks_for_rows)
    given.dry_run = DryRun::kRows;
  else if (words.has("dry-run"))
    given.dry_run = asks_for_json ? DryRun::kJson : DryRun::kText;
  for (const OptionRow* const option : option_rows()) {
    std::vector<GivenValue> of_line;
    if (option->name == "input")
      for (const std::string& word : words.words) of_line.push_back({option, word, {}});
    for (std::string& value : words.values_of(option->name))
      of_line.push_back({option, std::move(value), {}});
    merge(std::move(of_line), std::move(of_file[option->name]), given);
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

Result<Invocation> parse_command_line(const std::vector<std::string>& arguments) {
  GLIMPSE_TRY_ASSIGN(auto read, read_given_values(arguments));
  Invocation invocation;
  if (read.asks_for_help || read.asks_for_version) {
    invocation.action = read.asks_for_help ? Invocation::Action::kHelp : Invocation::Action::kVersion;
    invocation.asks_for_all_help = read.asks_for_all_help;
    return invocation;
  }
  if (read.asks_for_check) invocation.action = Invocation::Action::kCheck;
  invocation.dry_run = read.dry_run;
  if (read.dry_run != DryRun::kNo) invocation.action = Invocation::Action::kDryRun;
  invocation.overridden = std::move(read.overridden);
  Configuration& c = invocation.configuration;
  GivenOptions& given = c.given;
  for (const auto& [option, value, place] : read.values) {
    if (Status status = option->read(c, value); !status)
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

namespace {

// What people come for first.
struct HelpTask {
  const char* title;
  std::vector<std::string_view> options;
};
const std::vector<HelpTask>& help_tasks() {
  static const std::vector<HelpTask> tasks{
      {"To learn from a table", {"label", "ignore", "weight", "task", "missing", "categories", "dry-run"}},
      {"To choose what is learned", {"budget", "dimension", "algorithm", "costs", "drift", "hold-out"}},
      {"To keep what was learned", {"state-directory", "checkpoint-every", "restore", "learn"}},
      {"To answer others", {"listen", "http", "serve", "allow-remote", "token-file", "tls-cert"}},
      {"To run it as a service", {"config", "check-config"}},
  };
  return tasks;
}

void append_section(std::string& help, std::string_view title, const std::vector<OptionRow>& rows) {
  help += fmt::format("\n{}\n", title);
  for (const OptionRow& row : rows) append_help(help, "  ", row);
}

}  // namespace

std::string help_text() {
  std::string text(help_beginning());
  const std::vector<const OptionRow*> all = rows_of_command_line();
  std::size_t shown = 0;
  for (const auto& [title, options] : help_tasks()) {
    std::vector<OptionRow> rows;
    for (const std::string_view name : options)
      rows.push_back(**std::ranges::find(all, name, &OptionRow::name));
    append_section(text, title, rows);
    shown += rows.size();
  }
  text += fmt::format("\nglimpsed --help all shows the other {} options.\n", all.size() - shown);
  text += help_end();
  return text;
}

std::string help_of_all() {
  std::string text(help_beginning());
  append_section(text, "Of the command line alone", command_line_options());
  for (const OptionSection& section : option_table()) append_section(text, section.title, section.rows);
  text += help_end();
  return text;
}

namespace {

// A file that was cut short while it was written must not open doors that were locked.
bool is_named_no_more(const OptionRow& option, const Configuration& wanted) {
  return option.reload == Reload::kNamedFile && option.is_same(wanted, Configuration());
}

}  // namespace

std::vector<std::string> apply_changes(Configuration& running, const Configuration& wanted) {
  std::vector<std::string> fixed;
  for (const OptionRow* const option : option_rows()) {
    if (option->is_same(running, wanted)) continue;
    if (is_named_no_more(*option, wanted)) {
      fixed.push_back(option->name + ", which the configuration names no more,");
    } else if (option->reload == Reload::kNow || option->reload == Reload::kNamedFile) {
      option->copy(running, wanted);
    } else if (running.given.contains(option->name) || wanted.given.contains(option->name)) {
      fixed.push_back(option->name);  // else another option of the same value was given
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
