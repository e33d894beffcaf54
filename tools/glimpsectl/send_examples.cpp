#include <algorithm>
#include <utility>

#include "base/numbers.h"
#include "glimpsectl/client/http_client.h"
#include "glimpsectl/commands.h"
#include "glimpsectl/input/console.h"
#include "glimpsectl/input/input_bodies.h"
#include "glimpsectl/input/piece_reading.h"
#include "glimpsectl/input/table_bodies.h"
#include "glimpsectl/own_daemon.h"
#include "glimpsectl/reports/reports.h"
#include "glimpsectl/reports/status_summary.h"
#include "json/json_elements.h"
#include "report/fields.h"
#include "report/table.h"
#include "report/units.h"

namespace glimpse::ctl {
namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kNdjson = "application/x-ndjson";

/// Counts what the server did with the pieces, and keeps the first errors.
class LearnTally {
 public:
  void add(const LearnReply& reply) {
    accepted_ += reply.accepted;
    missing_ += reply.skipped - reply.beyond_budget - reply.frozen;
    frozen_ += reply.frozen;
    beyond_budget_ += reply.beyond_budget;
    held_out_ += reply.held_out;
    unlabelled_ += reply.unlabelled;
    refused_ += reply.error_count;
    for (const auto& error : reply.errors) {
      if (shown_.size() == kErrorsShown) break;
      const auto place = error.line == 0 ? std::string() : fmt::format("line {}: ", error.line);
      shown_.push_back(place + printable(error.message));
    }
  }

  void print_errors(const std::string& file, Console& console) const {
    for (const auto& message : shown_) console.err << "glimpsectl: '" << file << "' " << message << '\n';
    console.err.flush();
  }
  bool is_any_refused() const { return refused_ > 0; }

  /// `is_all`: every request was answered; without an answer nobody knows what became of the last.
  void print(const std::string& file, bool is_all, Console& console) const {
    print_errors(file, console);
    console.out << (is_all ? "" : "at least ") << counted(accepted_, "example") << " learned";
    if (missing_ > 0) console.out << ", " << with_thousands(missing_) << " skipped for missing attributes";
    if (beyond_budget_ > 0)
      console.out << ", " << with_thousands(beyond_budget_)
                  << " skipped as the budget of the daemon is spent";
    if (frozen_ > 0)
      console.out << ", " << with_thousands(frozen_)
                  << " evaluated and not learned, as the model is frozen (glimpsectl unfreeze)";
    if (held_out_ > 0) console.out << ", " << with_thousands(held_out_) << " held out";
    if (unlabelled_ > 0) console.out << ", " << with_thousands(unlabelled_) << " without a label";
    console.out << '\n';
    console.out.flush();
  }

  /// An Error when a line was refused, or nothing was learned of what was sent.
  Status verdict(const std::string& file) const {
    if (refused_ > 0)
      return failure(ErrorCode::kInvalidInput, "'{}': {} of {} refused{}", file, with_thousands(refused_),
                     all_examples(),
                     refused_ > shown_.size() ? fmt::format("; the first {} are shown", shown_.size()) : "");
    if (accepted_ + held_out_ > 0 || all() == 0) return {};
    if (beyond_budget_ > 0)
      return failure(ErrorCode::kInvalidInput,
                     "'{}': nothing was learned: the budget of the daemon is spent, which skipped {} of {}: "
                     "start it with a larger --total-budget or --total-cost",
                     file, with_thousands(beyond_budget_), all_examples());
    if (frozen_ > 0)
      return failure(
          ErrorCode::kInvalidInput,
          "'{}': nothing was learned: the model is frozen; glimpsectl unfreeze ends that, and what "
          "is to be learned is sent again",
          file);
    if (unlabelled_ == 0)
      return failure(ErrorCode::kInvalidInput, "'{}': nothing was learned: {} skipped", file, all_examples());
    return failure(ErrorCode::kInvalidInput,
                   "'{}': nothing was learned: {} of {} had no label; it is the first field of "
                   "svmlight and vw, \"label\" in ndjson, and of tables the column that glimpsed was started "
                   "with (--label); glimpsectl predict is for examples without one",
                   file, with_thousands(unlabelled_), all_examples());
  }

 private:
  std::string all_examples() const { return counted(all(), "example"); }
  std::uint64_t all() const {
    return accepted_ + missing_ + beyond_budget_ + frozen_ + held_out_ + unlabelled_ + refused_;
  }

  std::uint64_t accepted_ = 0;
  std::uint64_t missing_ = 0;
  std::uint64_t beyond_budget_ = 0;
  std::uint64_t frozen_ = 0;
  std::uint64_t held_out_ = 0;
  std::uint64_t unlabelled_ = 0;
  std::uint64_t refused_ = 0;
  std::vector<std::string> shown_;
};

// In the text of a body, headers included.
std::uint64_t records_in(const std::string& text, bool is_array) {
  if (!is_array) return count_records(text);
  const auto lines = examples_as_lines(text);
  return lines ? count_records(*lines) : 0;  // which glimpsed refuses
}

/// Sends a piece of a file. One that others went before may have no line that can be read: then the reply has
/// the counts of an error.
Result<std::string> learn_piece(const HttpClient& client, const std::string& target, std::string text,
                                std::string_view type, bool is_first) {
  GLIMPSE_TRY_ASSIGN(auto answer, client.send("POST", target, std::move(text), type));
  constexpr unsigned kBadRequest = 400;
  const bool may_have_counts = answer.status == kBadRequest && !is_first;
  if (answer.status / 100 == 2 || (may_have_counts && parse_learn_reply(answer.body)))
    return std::move(answer.body);
  return error_of_reply("POST " + target, answer.status, answer.body);
}

}  // namespace

Result<std::vector<std::string>> attribute_names(const HttpClient& client) {
  GLIMPSE_TRY_ASSIGN(const auto body, client.get("/v1/moments?format=json"));
  GLIMPSE_TRY_ASSIGN(const auto moments, parse_answer(body));
  std::vector<std::string> names;
  if (const auto* const list = moments.if_contains("moments"); list && list->is_array())
    for (const auto& attribute : list->get_array())
      if (const auto* const of = attribute.if_object())
        if (const auto* const name = of->if_contains("name"); name && name->is_string())
          names.emplace_back(name->get_string());
  return names;
}

namespace {

// What the header of a table does not have of `names`, for people.
std::string lacking_of(const TableBodies& table, const std::vector<std::string>& names) {
  std::string lacking;
  if (!table.names().empty())
    for (const std::string& name : names)
      if (std::ranges::find(table.names(), name) == table.names().end())
        lacking += (lacking.empty() ? "'" : ", '") + name + "'";
  return lacking;
}

// To a daemon that learns nothing, which counts how well the rows are predicted.
Status test_rows(const HttpClient& client, TableBodies& table, LearnTally& tally) {
  for (;;) {
    GLIMPSE_TRY_ASSIGN(auto body, table.next(LineChunks::kDefaultSize));
    if (!body) return {};
    const std::string target = fmt::format("/v1/learn{}&first_line={}", table.query(), body->rows_before + 1);
    GLIMPSE_TRY_ASSIGN(const auto answer, learn_piece(client, target, std::move(body->text), "text/plain",
                                                      body->rows_before == 0));
    const auto reply = parse_learn_reply(answer);
    if (!reply) return client.unreadable(target, reply.error().message);
    tally.add(*reply);
  }
}

Status learn_bodies(const HttpClient& client, const CommandLine& line, Console& console, LearnTally& tally) {
  InputBodies bodies(line.file, console);
  GLIMPSE_TRY_ASSIGN(const auto array, bodies.is_array());
  // The server takes an array for one only when it is told that the body is JSON.
  PieceReading reading(!line.format.empty() ? line.format : array ? "ndjson" : "auto");
  for (;;) {
    GLIMPSE_TRY_ASSIGN(auto body, bodies.next());
    if (!body) return {};
    const std::uint64_t lines_before = body->lines_before;
    GLIMPSE_TRY_ASSIGN(const auto query, reading.prepare(*body));
    const std::string target = "/v1/learn" + query;
    const std::uint64_t sent = records_in(body->text, array);
    const auto answer =
        learn_piece(client, target, std::move(body->text), array ? kJson : "text/plain", lines_before == 0);
    if (!answer) {
      if (lines_before == 0) return answer.error();
      return failure(answer.error().code, "{} (in the piece behind line {})", answer.error().message,
                     with_thousands(lines_before));
    }
    const auto reply = parse_learn_reply(*answer);
    if (!reply) return client.unreadable(target, reply.error().message);
    const double told = 1.0 * reply->accepted + reply->skipped + reply->held_out + reply->unlabelled +
                        reply->error_count;  // a sum of whole numbers might come round
    if (told > sent)
      return client.unreadable(target,
                               fmt::format("it counts more than the {} sent", counted(sent, "record")));
    tally.add(*reply);
    const bool has_examples = reply->accepted + reply->skipped + reply->held_out + reply->error_count > 0;
    if (const Status noted = reading.note(reply->table, has_examples); !noted)
      return client.unreadable(target, noted.error().message);
    bodies.make_room(reading.header_bytes());
    if (line.json)
      if (auto written = write_output("", with_final_newline(*answer), console); !written) return written;
  }
}

}  // namespace

namespace {

// "example 3: it is bad" of a piece, whose header may be one, becomes "'new.csv' row 7: it is bad".
Error of_row(const Error& error, const std::string& file, std::uint64_t rows_before, bool has_header) {
  constexpr std::string_view kExample = ": example ";
  const std::size_t at = error.message.find(kExample);
  const std::size_t colon = error.message.find(": ", at + kExample.size());
  if (at == std::string::npos || colon == std::string::npos) return error;
  const std::string message = error.message.substr(colon + 2);
  const auto number = whole_text_as<std::uint64_t>(
      std::string_view(error.message).substr(at + kExample.size(), colon - at - kExample.size()));
  if (!number || message.starts_with("the header")) return failure(error.code, "'{}': {}", file, message);
  return failure(error.code, "'{}' row {}: {}", file, *number + rows_before - (has_header ? 1 : 0), message);
}

// What one request is about.
struct Question {
  std::string text;
  std::string query;
  std::uint64_t records = 0;
  std::vector<std::string> kept;
  std::uint64_t rows_before = 0;
};

}  // namespace

Status predict_examples(const CommandLine& line, Console& console) {
  for (const std::string& read : {line.file, line.model}) GLIMPSE_TRY(check_is_other(line.output, read));
  const HttpClient client(line.server, line.timeout, line.max_answer);
  std::unique_ptr<ScratchFolder> scratch;
  std::string path = line.file;
  if (line.writes_table()) {
    GLIMPSE_TRY_ASSIGN(scratch, ScratchFolder::make());
    GLIMPSE_TRY_ASSIGN(path, spooled(line.file, *scratch, console));
  }
  std::string format = line.format;
  std::string lacking;
  std::unique_ptr<TableBodies> table;
  if (line.writes_table()) {
    GLIMPSE_TRY_ASSIGN(const auto names, attribute_names(client));
    GLIMPSE_TRY_ASSIGN(table, TableBodies::open(path, format, names));
    if (!table && !line.keep.empty())
      return failure(ErrorCode::kInvalidInput, "--keep is for tables, and '{}' is {}", line.file, format);
    if (table) GLIMPSE_TRY(table->keep(line.keep));
    if (table) lacking = lacking_of(*table, names);
    // Predictions do not depend on other columns; where one lacks, the daemon says what it makes of them.
    if (table && lacking.empty() && !names.empty()) table->send_only(names);
  }
  std::string as = line.predict;
  if (line.writes_table() && !line.has("predict")) {
    GLIMPSE_TRY_ASSIGN(const auto status, client.get("/v1/status"));
    GLIMPSE_TRY_ASSIGN(const auto facts, parse_answer(status));
    if (facts.contains("classes") && !facts.at("classes").is_null()) as = "probabilities";
  }
  // Predictions are explained for small bodies alone.
  constexpr std::size_t kExplained = 16'000;
  // An answer has at most 4,000,000 numbers of classes, of which there are up to 1000; a line has two bytes.
  constexpr std::size_t kOfClasses = 8'000;
  const bool has_all_classes = as != "label" && !as.empty();
  std::size_t size = line.explain      ? (table ? kExplained / 2 : kExplained)  // and a row more
                     : has_all_classes ? kOfClasses
                                       : LineChunks::kDefaultSize;
  InputBodies bodies(path, console, size);
  bool array = false;
  if (!table) {
    GLIMPSE_TRY_ASSIGN(array, bodies.is_array());
  }
  PieceReading reading(format);
  const auto next = [&]() -> Result<std::optional<Question>> {
    if (table) {
      GLIMPSE_TRY_ASSIGN(auto body, table->next(size));
      if (!body) return std::optional<Question>();
      return Question{std::move(body->text), table->query(), body->rows, std::move(body->kept),
                      body->rows_before};
    }
    GLIMPSE_TRY_ASSIGN(auto body, bodies.next());
    if (!body) return std::optional<Question>();
    GLIMPSE_TRY_ASSIGN(const auto query, reading.prepare(*body));
    const std::uint64_t records = records_in(body->text, array);
    return Question{std::move(body->text), query, records, {}, 0};
  };
  std::uint64_t explained = 0;
  std::optional<std::uint64_t> first_model;
  std::optional<std::uint64_t> last_model;
  std::uint64_t odd_values = 0;
  std::string output;  // of --output
  const std::string_view type = array ? kJson : format.empty() ? kNdjson : "text/plain";
  for (;;) {
    GLIMPSE_TRY_ASSIGN(auto question, next());
    if (!question) break;
    const std::string wish = (line.explain ? fmt::format("explain=true&top={}", line.top) : "predict=" + as) +
                             (line.writes_table() && !line.explain ? "&errors=true" : "") +
                             (table ? "&odd=missing" : "");
    std::string target = "/v1/predict" + question->query + (question->query.empty() ? "?" : "&") + wish;
    if (!line.label.empty()) target += "&label=" + as_query_value(line.label);
    if (!line.checkpoint.empty()) target += "&checkpoint=" + line.checkpoint;
    const auto answer = client.post(target, std::move(question->text), type);
    if (!answer && table)
      return of_row(answer.error(), line.file, question->rows_before, !table->names().empty());
    if (!answer) return answer.error();
    const std::uint64_t explained_before = explained;
    std::uint64_t predicted = 0;
    Result<std::string> lines = std::string();
    if (line.writes_table() && !line.explain && !line.json) {
      const auto predictions = prediction_table(*answer);
      if (!predictions) return client.unreadable(target, predictions.error().message);
      predicted = predictions->rows.size();
      if (!first_model) {
        for (const std::string& name : line.keep) append_field(name, false, *lines), *lines += ',';
        *lines += predictions->header + '\n';
        // As many rows as an answer can have numbers of these classes.
        if (has_all_classes)
          size = std::min(
              LineChunks::kDefaultSize,
              kOfClasses * 1000 / std::max<std::size_t>(1, std::ranges::count(predictions->header, ',')));
      }
      for (std::size_t r = 0; r < predictions->rows.size(); ++r)
        lines->append(r < question->kept.size() ? question->kept[r] : "").append(predictions->rows[r]) +=
            '\n';
    } else {
      lines = line.explain ? explained_predictions(*answer, explained) : prediction_lines(*answer);
      if (!lines) return client.unreadable(target, lines.error().message);
      predicted = line.explain ? explained - explained_before
                               : static_cast<std::uint64_t>(std::ranges::count(*lines, '\n'));
    }
    const auto facts = facts_of_predictions(*answer);
    if (!facts) return client.unreadable(target, facts.error().message);
    if (!first_model && !lacking.empty())
      console.err << "glimpsectl: '" << line.file << "' has no column " << printable(lacking)
                  << ": its values count as missing in each row\n";
    odd_values += facts->odd_values;
    if (!first_model) first_model = facts->examples;
    last_model = facts->examples;
    if (!table)
      if (const Status noted = reading.note(facts->table, true); !noted)
        return client.unreadable(target, noted.error().message);
    const std::uint64_t asked = question->records - (!table && reading.header_bytes() > 0 ? 1 : 0);
    // An older daemon does not say whether there was a header.
    const bool may_be_header =
        !table && !facts->table && predicted + 1 == asked && (format == "csv" || format == "auto");
    if (predicted != asked && !may_be_header)
      return client.unreadable(
          target, fmt::format("{} for {}", counted(predicted, "prediction"), counted(asked, "example")));
    if (line.json) lines = with_final_newline(*answer);
    if (line.output.empty())
      GLIMPSE_TRY(write_output("", *lines, console));
    else
      output += *lines;
    bodies.make_room(reading.header_bytes());
  }
  if (!line.output.empty()) GLIMPSE_TRY(write_output(line.output, output, console));
  if (odd_values > 0)
    console.err << "glimpsectl: '" << line.file << "': " << counted(odd_values, "value")
                << " where numbers are expected could not be read, and counted as missing\n";
  if (first_model && last_model && *first_model != *last_model)
    console.err << "glimpsectl: '" << line.file
                << "': glimpsed learned meanwhile: the first predictions are of its model of "
                << with_thousands(*first_model) << " examples, the last of that of "
                << with_thousands(*last_model) << '\n';
  return {};
}

Status learn_examples(const CommandLine& line, Console& console) {
  const HttpClient client(line.server, line.timeout, line.max_answer);
  LearnTally tally;
  const auto sent = learn_bodies(client, line, console, tally);
  // Also after a failure half-way: what was learned stays learned.
  const bool is_all = sent || sent.error().code != ErrorCode::kUnavailable;
  if (!line.json) tally.print(line.file, is_all, console);
  if (!sent) return sent;
  return tally.verdict(line.file);
}

Status test_model(const CommandLine& line, Console& console) {
  const HttpClient client(line.server, line.timeout, line.max_answer);
  CommandLine quiet = line;
  quiet.json = false;
  LearnTally tally;
  GLIMPSE_TRY_ASSIGN(const auto names, attribute_names(client));
  GLIMPSE_TRY_ASSIGN(const auto table, TableBodies::open(line.file, quiet.format, names));
  GLIMPSE_TRY(table ? test_rows(client, *table, tally) : learn_bodies(client, quiet, console, tally));
  tally.print_errors(line.file, console);
  const std::string target = "/v1/status";
  GLIMPSE_TRY_ASSIGN(const auto body, client.get(target));
  const auto report = line.json ? test_json(body) : test_report(body);
  if (!report) return client.unreadable(target, report.error().message);
  GLIMPSE_TRY(write_output("", *report, console));
  return tally.is_any_refused() ? tally.verdict(line.file) : Status();
}

}  // namespace glimpse::ctl
