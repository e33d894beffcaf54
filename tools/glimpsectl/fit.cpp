// glimpsectl describe and fit: tables without a daemon of one's own. glimpsed does the work.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/file.h"
#include "checkpoint/checkpoint_folder.h"
#include "glimpsectl/client/http_client.h"
#include "glimpsectl/commands.h"
#include "glimpsectl/doctor/process.h"
#include "glimpsectl/format/fields.h"
#include "glimpsectl/format/table.h"
#include "glimpsectl/format/units.h"
#include "glimpsectl/own_daemon.h"
#include "glimpsectl/reports/status_summary.h"
#include "json/strict_json.h"

namespace glimpse::ctl {
namespace {

namespace json = boost::json;
using Words = std::vector<std::string>;

constexpr std::chrono::hours kForever{24 * 365};
constexpr std::size_t kMostObserved = 256;  // attributes of a row, all of which are looked at
constexpr std::size_t kObserved = 64;       // of more

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// What a log of glimpsed says, without times and levels: lines of that level.
Words lines_of(const std::string& log, std::string_view level) {
  Words lines;
  const std::string mark = fmt::format(" {} ", level);
  for (std::size_t begin = 0; begin < log.size();) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    const std::string line = log.substr(begin, end - begin);
    if (const std::size_t at = line.find(mark); at == line.find(' ') && at != std::string::npos)
      lines.push_back(line.substr(at + mark.size()));
    begin = end + 1;
  }
  return lines;
}

// What glimpsed said on standard output and error. Errors: its last line, where it failed.
Result<std::string> run_glimpsed(const Words& words) {
  GLIMPSE_TRY_ASSIGN(auto ended, run_program(words, kForever, std::string::npos));
  if (ended.status == 0) return std::move(ended.output);
  return failure(ended.status == 2 ? ErrorCode::kInvalidOption : ErrorCode::kInvalidInput, "{}",
                 last_line_of(std::move(ended.output)));
}

Words options_of(const CommandLine& line) {
  Words words;
  if (!line.label.empty()) words = {"--label", line.label};
  return words + line.passed;
}

// Inputs that a checkpoint does not know by their names, and so are read from their beginnings.
Result<Words> under_other_names(const Words& paths, const ScratchFolder& folder) {
  Words words;
  for (const std::string& path : paths) {
    const std::string other = folder / fmt::format("{}", words.size());
    std::error_code error;
    std::filesystem::create_hard_link(path, other, error);
    if (error) std::filesystem::copy_file(path, other, error);
    if (error)
      return failure(ErrorCode::kSystem, "'{}' cannot be copied to '{}': {}", path, other, error.message());
    words = words + Words{"--input", other};
  }
  return words;
}

Words inputs_of(const CommandLine& line) {
  Words words;
  for (const std::string& file : line.files) words = words + Words{"--input", file};
  return words;
}

Result<std::string> newest_of(const std::string& folder) {
  PosixFileSystem files;
  GLIMPSE_TRY_ASSIGN(const auto listed, CheckpointFolder(files, folder).list());
  if (listed.empty()) return failure(ErrorCode::kInvalidInput, "glimpsed kept nothing");
  return folder + "/" + listed.front().name;
}

Result<json::object> ask(const std::string& program, const std::string& model, const std::string& target) {
  GLIMPSE_TRY_ASSIGN(const auto daemon, OwnDaemon::start(program, model));
  GLIMPSE_TRY_ASSIGN(auto server, parse_server_address(daemon->address()));
  GLIMPSE_TRY_ASSIGN(const auto body, HttpClient(std::move(server), std::chrono::minutes(1)).get(target));
  return parse_answer(body);
}

// Of the columns that glimpsed --dry-run describes; nothing: it has none, as of svmlight.
std::optional<std::size_t> attributes_of(const json::value& table) {
  const auto* const columns = table.as_object().if_contains("columns");
  if (columns == nullptr) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::count_if(columns->as_array(), [](const json::value& column) {
    return std::string_view(column.at("use").as_string()).starts_with("attribute");
  }));
}

// What the columns are worth, by attribute: those with several weights once, the largest first.
struct Worth {
  std::string name;
  double importance = 0;
  int sign = 0;  // of a weight alone
};
std::vector<Worth> worths_of(const json::object& model) {
  std::map<std::int64_t, Worth> by_attribute;
  const auto* const names = model.if_contains("names");  // else they have numbers
  const auto& importances = model.at("importances").as_array();
  const auto& weights = model.at("weights").as_array();            // of classes a list for each
  const auto* const attributes = model.if_contains("attributes");  // where some have several weights
  for (std::size_t i = 0; i < importances.size(); ++i) {
    Worth& worth = by_attribute[attributes ? attributes->as_array()[i].to_number<std::int64_t>()
                                           : static_cast<std::int64_t>(i)];
    const double weight =
        weights.size() == importances.size() && weights[i].is_number() ? weights[i].to_number<double>() : 0;
    std::string name = names ? std::string(names->as_array()[i].as_string()) : std::string();
    if (name.empty()) name = fmt::format("attribute {}", i);
    const bool is_first = worth.name.empty();
    if (is_first) worth.name = name.substr(0, std::min(name.find('='), name.find(": ")));
    worth.importance += importances[i].is_number() ? importances[i].to_number<double>() : 0;
    worth.sign = !is_first || worth.name != name || weight == 0 ? 0 : weight > 0 ? 1 : -1;
  }
  std::vector<Worth> all;
  for (auto& [attribute, worth] : by_attribute) all.push_back(std::move(worth));
  std::ranges::sort(all, [](const Worth& a, const Worth& b) {
    return a.importance != b.importance ? a.importance > b.importance : a.name < b.name;
  });
  return all;
}

std::string worth_report(const std::vector<Worth>& worths) {
  constexpr std::size_t kShown = 10;
  constexpr double kBar = 40;
  Table table({{"what matters", true}, {"share of the label's variance", true}});
  const double most = worths.empty() ? 0 : worths.front().importance;
  for (std::size_t i = 0; i < std::min(worths.size(), kShown); ++i) {
    const Worth& worth = worths[i];
    const auto bar = static_cast<std::size_t>(most > 0 ? std::lround(kBar * worth.importance / most) : 0);
    table.add({worth.name + (worth.sign > 0   ? " (+)"
                             : worth.sign < 0 ? " (-)"
                                              : ""),
               std::string(bar, '#') + fmt::format(" {:.3f}", worth.importance)});
  }
  return table.text() +
         (worths.size() > kShown ? fmt::format("and {} others\n", worths.size() - kShown) : std::string());
}

}  // namespace

Status describe_tables(const CommandLine& line, Console& console) {
  Words words{daemon_program(line.daemon), "--dry-run"};
  if (line.json) words.emplace_back("--json");
  GLIMPSE_TRY_ASSIGN(const auto told, run_glimpsed(words + inputs_of(line) + options_of(line)));
  return write_output("", told, console);
}

Status fit_tables(const CommandLine& line, Console& console) {
  const std::string program = daemon_program(line.daemon);
  GLIMPSE_TRY_ASSIGN(const auto scratch, ScratchFolder::make());
  const ScratchFolder& folder = *scratch;
  GLIMPSE_TRY_ASSIGN(const auto described, run_glimpsed(Words{program, "--dry-run", "--json"} +
                                                        inputs_of(line) + options_of(line)));
  GLIMPSE_TRY_ASSIGN(const auto table, parse_strict_json(described));
  const auto attributes = attributes_of(table);
  if (!attributes && line.budget.empty())
    return failure(
        ErrorCode::kInvalidOption,
        "'{}' does not say how many attributes there are: --budget says how many to look at, and -- "
        "--dimension D how many there are",
        line.files.front());
  const std::string budget = !line.budget.empty()           ? line.budget
                             : *attributes <= kMostObserved ? "all"
                                                            : fmt::format("{}", kObserved);
  const Words options = Words{"--budget", budget} + options_of(line);
  const Words learning = inputs_of(line) + options;
  // One learns all, another nine tenths, which is tested with the others.
  Result<std::string> of_all = std::string();
  std::thread learn_all(
      [&] { of_all = run_glimpsed(Words{program, "--state-directory", folder / "all"} + learning); });
  const auto of_part = run_glimpsed(
      Words{program, "--hold-out", "10%", "--log-level", "warning", "--state-directory", folder / "part"} +
      learning);
  learn_all.join();
  if (!of_all) return of_all.error();
  if (!of_part) return of_part.error();
  GLIMPSE_TRY_ASSIGN(const auto part, newest_of(folder / "part"));
  GLIMPSE_TRY_ASSIGN(const auto again, under_other_names(line.files, folder));
  GLIMPSE_TRY(run_glimpsed(Words{program, "--restore", part, "--learn", "test", "--hold-out", "10%",
                                 "--replies", "none", "--state-directory", folder / "tested"} +
                           again + options));
  GLIMPSE_TRY_ASSIGN(const auto all, newest_of(folder / "all"));
  GLIMPSE_TRY_ASSIGN(const auto tested, newest_of(folder / "tested"));
  GLIMPSE_TRY_ASSIGN(const auto status, ask(program, tested, "/v1/status"));
  GLIMPSE_TRY_ASSIGN(const auto model, ask(program, all, "/v1/model?format=json"));

  const std::string output =
      !line.output.empty()
          ? line.output
          : std::filesystem::path(line.files.front()).replace_extension(".glimpsed").string();
  PosixFileSystem files;
  GLIMPSE_TRY_ASSIGN(const auto bytes, files.read(all));
  GLIMPSE_TRY(write_output(output, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, console));
  if (line.json) {
    const json::object told{{"model", output}, {"table", table}, {"test", status}, {"learned", model}};
    return write_output("", json::serialize(told) + "\n", console);
  }
  std::string report;
  for (const std::string& said : lines_of(*of_all, "info"))
    if (said.starts_with(line.files.front() + ": ")) report += said + "\n";
  for (const std::string& said : lines_of(*of_all, "warning")) report += "note: " + said + "\n";
  GLIMPSE_TRY_ASSIGN(const auto test, test_report(json::serialize(status)));
  const auto learned = number_in(model, "examples");
  const auto dimension = number_in(model, "dimension");
  report += fmt::format("learned {}, {} of {} attributes of each\n\n", counted(learned.value_or(0), "row"),
                        budget, readable_number(dimension.value_or(0)));
  report +=
      "a model of nine tenths of the rows, on the others\n" + test + "\n" + worth_report(worths_of(model));
  report += fmt::format("\n{} has learned all rows\nglimpsectl predict NEW.csv --model {}\n", output, output);
  return write_output("", report, console);
}

}  // namespace glimpse::ctl
