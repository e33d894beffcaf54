// glimpsectl describe and fit: tables without a daemon of one's own. glimpsed does the work.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <glob.h>
#include <optional>
#include <thread>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/file.h"
#include "data/text/dialect.h"
#include "data/text/shell_words.h"
#include "data/text/text.h"
#include "glimpsectl/client/http_client.h"
#include "glimpsectl/commands.h"
#include "glimpsectl/doctor/process.h"
#include "glimpsectl/input/input_bodies.h"
#include "glimpsectl/own_daemon.h"
#include "glimpsectl/reports/progress_bar.h"
#include "glimpsectl/reports/status_summary.h"
#include "glimpsectl/reports/worths.h"
#include "json/strict_json.h"
#include "report/fields.h"
#include "report/units.h"

namespace glimpse::ctl {
namespace {

namespace json = boost::json;
using Words = std::vector<std::string>;

constexpr std::chrono::hours kForever{24 * 365};
// Observed attributes of a row, squared, that one core learns in a second: .9e9 of 256, 1.6e9 of 1,000 and
// .9e9 of 2,000 attributes.
constexpr double kPairsASecond = 1e9;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// What glimpsed said on standard output and error. Errors: where it failed, why; where a signal ended it,
// that it has not read all. Files in `folder` have the names of their originals.
Result<std::string> run_glimpsed(const Words& words, const ScratchFolder& folder) {
  GLIMPSE_TRY_ASSIGN(auto ended, run_program(words, kForever, std::string::npos));
  ended.output = folder.with_own_names(std::move(ended.output));
  for (const std::string& said : lines_of(ended.output, "info"))
    if (said.starts_with("stopping: SIG"))
      return failure(ErrorCode::kInvalidInput, "a signal ended glimpsed before it had read all: {}", said);
  if (ended.status == 0) return std::move(ended.output);
  return failure(ended.status == 2 ? ErrorCode::kInvalidOption : ErrorCode::kInvalidInput, "{}",
                 reason_of(ended));
}

Words options_of(const CommandLine& line) {
  Words words;
  if (!line.label.empty()) words = {"--label", line.label};
  return words + line.passed;
}

// The files of a command line: patterns in quotes are those that match; copies of standard input and pipes.
Result<Words> files_of(const CommandLine& line, ScratchFolder& folder, Console& console) {
  Words files;
  for (const std::string& file : line.files) {
    std::error_code none;
    if (file.find_first_of("*?[") == std::string::npos || std::filesystem::exists(file, none)) {
      GLIMPSE_TRY_ASSIGN(const auto path, folder.spool(file, console));
      files.push_back(path);
      continue;
    }
    glob_t found{};
    if (::glob(file.c_str(), 0, nullptr, &found) != 0)
      return failure(ErrorCode::kInvalidInput, "no file matches '{}'", file);
    files.insert(files.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
  }
  return files;
}

Words inputs_of(const Words& files) {
  Words words;
  for (const std::string& file : files) words = words + Words{"--input", file};
  return words;
}

// The answers of a model in a file; empty objects for what it refuses.
Result<std::vector<json::object>> ask(const std::string& program, const std::string& model,
                                      const Words& targets) {
  GLIMPSE_TRY_ASSIGN(const auto daemon, OwnDaemon::start(program, model));
  GLIMPSE_TRY_ASSIGN(auto server, parse_server_address(daemon->address()));
  const HttpClient client(std::move(server), std::chrono::minutes(10));
  std::vector<json::object> answers(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    GLIMPSE_TRY_ASSIGN(const auto answer, client.send("GET", targets[i]));
    if (answer.status / 100 != 2) continue;
    GLIMPSE_TRY_ASSIGN(answers[i], parse_answer(answer.body));
  }
  return answers;
}

// One glimpsed that learns, and what is asked of its model.
struct Learned {
  Result<std::string> log = std::string();
  Result<std::vector<json::object>> answers = std::vector<json::object>();
};
Learned learn(const std::string& program, const ScratchFolder& folder, std::string_view name,
              const Words& options, const Words& targets) {
  const std::string state = folder / name;
  Learned learned{.log = run_glimpsed(Words{program, "--state-directory", state} + options, folder)};
  if (learned.log) learned.answers = ask(program, state, targets);
  return learned;
}

// Shows on a terminal how far the daemon at `address` is, until it ends.
void show_progress(const std::string& address, ProgressBar& bar, const std::atomic<bool>& is_done) {
  const auto server = parse_server_address(address);
  if (!server) return;
  const HttpClient client(*server, std::chrono::seconds(1));
  for (; !is_done; std::this_thread::sleep_for(std::chrono::milliseconds(100))) {
    if (!bar.is_due()) continue;
    const auto body = client.get("/v1/status");
    const auto status = body ? parse_answer(*body) : Result<json::object>(body.error());
    if (!status || !status->contains("sources")) continue;
    double read = 0;
    for (const json::value& source : status->at("sources").as_array())
      read += number_in(source.as_object(), "bytes").value_or(0);
    bar.show(read, number_in(*status, "examples").value_or(0));
  }
}

// By the lines in its beginning.
double rows_of(const std::string& path) {
  std::error_code error;
  const auto size = static_cast<double>(std::filesystem::file_size(path, error));
  std::ifstream file(path, std::ios::binary);
  UnpackedBuffer buffer(file);
  std::istream in(&buffer);
  std::string bytes(std::size_t{1} << 20, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  const auto lines = static_cast<double>(std::ranges::count(bytes, '\n'));
  return error || buffer.bytes_read() == 0 ? lines : lines * size / static_cast<double>(buffer.bytes_read());
}

// How many of its attributes are observed in each of about so many rows, where nobody says: all that take a
// minute of one core, and never fewer than 256. Memory is the same for any number.
std::size_t affordable_attributes(double rows, std::size_t attributes) {
  constexpr double kSeconds = 60;
  constexpr double kFewest = 256;
  const double affordable = std::sqrt(kSeconds * kPairsASecond / std::max(rows, 1.0));
  return std::min(attributes, static_cast<std::size_t>(std::max(kFewest, affordable)));
}

// The columns that glimpsed --dry-run describes as attributes, in their order; nothing: it has no columns, as
// of svmlight.
std::optional<json::array> attributes_of(const json::value& table) {
  const auto* const columns = table.as_object().if_contains("columns");
  if (columns == nullptr) return std::nullopt;
  json::array attributes;
  for (const json::value& column : columns->as_array())
    if (std::string_view(column.at("use").as_string()).starts_with("attribute")) attributes.push_back(column);
  return attributes;
}

// Options that leave of these attributes those of a small model alone. Columns of a table have numbers, keys
// of JSON names.
Words options_of_few(const json::object& small, const json::array& attributes, bool have_numbers) {
  Words words;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    if (std::ranges::any_of(small.at("attributes").as_array(),
                            [i](const json::value& chosen) { return chosen.to_number<std::size_t>() == i; }))
      continue;
    std::string column;
    if (have_numbers)
      column = fmt::format("#{}", attributes[i].at("number").to_number<std::size_t>());
    else
      append_field(attributes[i].at("name").as_string(), false, column);
    words.insert(words.end(), {"--ignore", std::move(column)});
  }
  return words;
}

// "ignored: 7 rows without a label, 2 that could not be read"; empty: none were.
std::string ignored_rows(const Words& told) {
  for (const std::string& line : told) {
    unsigned long long learned = 0, revealed = 0, unlabelled = 0, unread = 0, skipped = 0;
    if (std::sscanf(
            line.c_str(),
            "finished: %llu examples, %llu attributes revealed, %llu predictions, %llu lines that could "
            "not be read, %llu examples skipped",
            &learned, &revealed, &unlabelled, &unread, &skipped) != 5)
      continue;
    std::string text;
    for (const auto& [count, why] :
         {std::pair(unlabelled, "without a label"), {unread, "that could not be read"}, {skipped, "skipped"}})
      if (count > 0)
        text += fmt::format("{}{} {}", text.empty() ? "ignored: " : ", ", counted(double(count), "row"), why);
    return text.empty() ? text : text + "\n";
  }
  return {};
}

// Whether a label that is a number has so many rows for each attribute that moments show what the best few
// reach: they promise too much by some log(attributes) over the rows.
bool is_moment_enough(const json::object& status, std::size_t attributes) {
  constexpr double kRows = 20'000;
  return status.contains("classes") && status.at("classes").is_null() &&
         number_in(status, "examples").value_or(0) >= kRows * double(attributes);
}

// What a model of few attributes alone reaches. `status`: of its test; empty: there was none, and moments
// show it where they are enough.
std::string few_report(const json::object& small, const json::object& status, bool is_enough,
                       const std::string& of) {
  std::string r2 = test_r2(status);
  const auto loss = number_in(small, "loss"), of_mean = number_in(small, "loss_of_mean");
  if (r2.empty() && is_enough && loss && of_mean && *of_mean > 0)
    r2 = fmt::format("about {:.3f}", 1 - *loss / *of_mean);
  if (r2.empty()) return {};
  std::string best;
  if (const auto* const names = small.if_contains("names"))
    for (const json::value& name : names->as_array())
      best += (best.empty() ? " (" : ", ") + std::string(name.as_string());
  return fmt::format("{} attributes alone{}{}: R2 {}\n", small.at("attributes").as_array().size(),
                     best.empty() ? "" : best + ")", of, r2);
}

// As somebody types it.
std::string typed(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
}

Words passed_words(const CommandLine& line) {
  return line.passed.empty() ? Words{} : Words{"--"} + line.passed;
}

// The command that fits the rows of the only file in a random order; empty: a shell has no simple one.
std::string shuffled_fit(const CommandLine& line, const json::object& table, const std::string& output) {
  const std::string& file = line.files.front();
  if (line.files.size() > 1 || !std::filesystem::is_regular_file(file) || file.ends_with(".gz") ||
      file.ends_with(".zst") || number_in(table, "header_records") != 1 ||
      number_in(table, "preamble_lines") != 0)
    return {};
  Words words{"glimpsectl", "fit", "-", "--label", line.label, "-o", output};
  if (!line.budget.empty()) words = words + Words{"--budget", line.budget};
  return fmt::format("(head -n 1 {0}; tail -n +2 {0} | shuf) | {1}\n", shell_word(file),
                     typed(words + passed_words(line)));
}

// At most so many lines, each on one of the screen.
void append_notes(const Words& notes, const CommandLine& line, std::string& report) {
  constexpr std::size_t kShown = 6;
  for (std::size_t i = 0; i < std::min(notes.size(), kShown); ++i)
    report += "note: " + as_typed(line, notes[i]) + "\n";
  if (notes.size() > kShown)
    report += fmt::format("and {} other notes: {}\n", notes.size() - kShown,
                          typed(Words{"glimpsectl", "describe", line.files.front(), "--label", line.label} +
                                passed_words(line)));
}

}  // namespace

Status describe_tables(const CommandLine& line, Console& console) {
  GLIMPSE_TRY_ASSIGN(const auto scratch, ScratchFolder::make());
  GLIMPSE_TRY_ASSIGN(const auto inputs, files_of(line, *scratch, console));
  Words words{daemon_program(line.daemon), "--dry-run"};
  if (line.json) words.emplace_back("--json");
  Status described;  // or the last error
  const auto note = [&](Error error) {
    if (!described) console.err << "glimpsectl: " << printable(described.error().message) << '\n';
    described = std::move(error);
  };
  bool is_first = true;
  for (const std::string& input : inputs) {
    const auto told = run_glimpsed(words + inputs_of({input}) + options_of(line), *scratch);
    if (!told) {
      note(told.error());
      continue;
    }
    GLIMPSE_TRY(
        write_output("", line.json ? *told : (is_first ? "" : "\n") + as_typed(line, *told), console));
    is_first = false;
    const auto object = line.json ? parse_answer(*told) : Result<json::object>(json::object());
    if ((object && object->contains("refused")) || told->find("\nit would be refused: ") != std::string::npos)
      note(failure(ErrorCode::kInvalidInput, "'{}' would be refused", input));
  }
  return described;
}

Status fit_tables(const CommandLine& line, Console& console) {
  const std::string program = daemon_program(line.daemon);
  GLIMPSE_TRY_ASSIGN(const auto scratch, ScratchFolder::make());
  ScratchFolder& folder = *scratch;
  GLIMPSE_TRY_ASSIGN(const auto inputs, files_of(line, folder, console));
  const bool is_copy = inputs.front() != line.files.front() && inputs.front().starts_with(folder / "");
  const std::string file = is_copy ? "model" : inputs.front();
  const std::string output = !line.output.empty()
                                 ? line.output
                                 : std::filesystem::path(file).replace_extension(".glimpsed").string();
  GLIMPSE_TRY_ASSIGN(
      const auto described,
      run_glimpsed(Words{program, "--dry-run", "--json"} + inputs_of(inputs) + options_of(line), folder));
  GLIMPSE_TRY_ASSIGN(const auto table, parse_strict_json(described));
  for (const std::string& input : inputs) GLIMPSE_TRY(check_output("--output", output, input));
  if (inputs.size() == 1 && number_in(table.as_object(), "sample_records") == 0)
    return failure(ErrorCode::kInvalidInput, "'{}' has no row to learn from", line.files.front());
  const auto attributes = attributes_of(table);
  if (!attributes && line.budget.empty())
    return failure(
        ErrorCode::kInvalidOption,
        "'{}' does not say how many attributes there are: --budget says how many to look at, and -- "
        "--dimension D how many there are",
        line.files.front());
  double rows = 0;
  for (const std::string& input : inputs) rows += rows_of(input);
  const bool is_automatic = line.budget.empty();
  const std::size_t observed = is_automatic ? affordable_attributes(rows, attributes->size()) : 0;
  const bool is_part = is_automatic && observed < attributes->size();
  const std::string budget = !is_automatic ? line.budget : is_part ? fmt::format("{}", observed) : "all";
  Words learning = inputs_of(inputs) + options_of(line);
  // Of one attribute glimpsed takes steps along a gradient, which sorted rows lead astray; moments are not
  // led.
  const auto names_algorithm = [](std::string_view word) { return word.starts_with("--algorithm"); };
  if (attributes && attributes->size() == 1 && std::ranges::none_of(line.passed, names_algorithm))
    learning = learning + Words{"--algorithm", "pairwise"};
  // One learns all, another nine tenths, which is tested with the others. So is one of the five attributes
  // that these nine tenths show to be the best.
  constexpr std::size_t kFew = 5;
  const Words part = Words{"--hold-out", "10%", "--learn", "test"} + learning;
  learning = learning + Words{"--budget", budget};
  Learned of_all;
  Learned of_part;
  Learned of_few;
  std::atomic<bool> is_done = false;
  const std::string address = "unix:" + (folder / "progress.sock");
  const Words watched = console.err_is_terminal ? Words{"--http", address, "--page", "off"} : Words{};
  std::thread learn_all([&] {
    of_all = learn(program, folder, "all", learning + watched, {"/v1/model?format=json", "/v1/status"});
  });
  std::thread learn_part([&] {
    of_part = learn(program, folder, "part", part + Words{"--budget", budget},
                    {"/v1/status", fmt::format("/v1/model?format=json&attributes={}", kFew)});
    if (!of_part.log || !of_part.answers || !attributes || attributes->size() <= kFew) return;
    const json::object& small = of_part.answers->back();
    const auto observed_at_most = number_in(of_part.answers->front(), "budget");
    if (!small.contains("attributes") || small.at("attributes").as_array().empty() || !observed_at_most ||
        is_moment_enough(of_part.answers->front(), attributes->size()))
      return;
    const auto count = static_cast<double>(small.at("attributes").as_array().size());
    of_few = learn(program, folder, "few",
                   part + options_of_few(small, *attributes, table.at("format") != "ndjson") +
                       Words{"--budget", fmt::format("{}", std::min(*observed_at_most, count))},
                   {"/v1/status"});
  });
  std::thread progress;
  if (console.err_is_terminal) {
    progress = std::thread([&] {
      ProgressBar bar(inputs, console);
      show_progress(address, bar, is_done);
    });
  }
  learn_all.join();
  learn_part.join();
  is_done = true;
  if (progress.joinable()) progress.join();
  for (const Learned* learned : {&of_all, &of_part}) {
    if (!learned->log) return learned->log.error();
    if (!learned->answers) return learned->answers.error();
  }
  const json::object& model = of_all.answers->front();
  const json::object& status = of_part.answers->front();
  const json::object& small = of_part.answers->back();
  const json::object tested =  // empty: a model of few attributes cannot be made, as of other learners
      of_few.log && of_few.answers && !of_few.answers->empty() ? of_few.answers->front() : json::object();

  PosixFileSystem files;
  GLIMPSE_TRY_ASSIGN(const auto all, checkpoint_of(folder / "all"));
  GLIMPSE_TRY_ASSIGN(const auto bytes, files.read(all));
  GLIMPSE_TRY(write_output(output, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, console));
  if (line.json) {
    const json::object told{
        {"model", valid_utf8(output)}, {"table", table}, {"test", status}, {"learned", model}, {"few", small},
        {"few_test", tested}};
    return write_output("", json::serialize(told) + "\n", console);
  }
  std::string report;
  const Words told = lines_of(*of_all.log, "info");
  for (const std::string& said : told)
    if (said.starts_with(folder.with_own_names(inputs.front()) + ": ")) report += said + "\n";
  append_notes(lines_of(*of_all.log, "warning"), line, report);
  GLIMPSE_TRY_ASSIGN(const auto test, test_report(json::serialize(status)));
  const auto learned = number_in(model, "examples");
  const auto dimension = number_in(model, "dimension").value_or(0);
  report += fmt::format("learned {}, {} of {} attributes of each\n", counted(learned.value_or(0), "row"),
                        is_part ? readable_number(double(observed)) : budget, readable_number(dimension));
  if (is_part)
    report += fmt::format(
        "chosen by --budget auto: all of about {} would take about {} of one core (--budget all)\n",
        counted(std::round(rows), "row"), readable_duration(rows * dimension * dimension / kPairsASecond));
  report += ignored_rows(told);
  if (const auto least = number_in(status, "label_min"); least && least == number_in(status, "label_max"))
    report += fmt::format("the label is {} in every row: nothing can be learned of what decides it\n",
                          readable_number(*least));
  if (number_in(status, "frozen_examples") == 0)
    report += "no row was held out, as there are too few: the model is not tested\n";
  report += "\n";
  const bool is_number = status.contains("classes") && status.at("classes").is_null();
  // Of several labels, what matters is that of the first.
  const bool is_one = status.if_contains("labels") == nullptr;
  const std::string first = is_one ? "" : " for " + in_quotes(word_in(model, "label"));
  report += fmt::format("a model of nine tenths of the rows, on the others{}{}\n{}",
                        is_number ? ", in the unit of " : "",
                        !is_number ? ""
                        : is_one   ? in_quotes(line.label)
                                   : "each label",
                        test);
  // Where one of both is withheld, the other hardly learned from a better order.
  for (const json::object& of : {std::cref(of_all.answers->back()), std::cref(status)}) {
    GLIMPSE_TRY_ASSIGN(const auto fallback, fallback_report(json::serialize(of)));
    if (fallback.empty()) continue;
    report += fallback + shuffled_fit(line, table.as_object(), output);
    break;
  }
  report += few_report(small, tested, attributes && is_moment_enough(status, attributes->size()), first);
  report +=
      fmt::format("\n{}\n{} has learned all rows\nglimpsectl predict NEW.csv --model {} -o predictions.csv\n",
                  worth_report(worths_of(model), first), output, shell_word(output));
  return write_output("", report, console);
}

}  // namespace glimpse::ctl
