#include <algorithm>
#include <functional>
#include <utility>

#include "base/numbers.h"
#include "data/formats/csv_cells.h"
#include "glimpsectl/client/http_client.h"
#include "glimpsectl/commands.h"
#include "glimpsectl/input/console.h"
#include "glimpsectl/input/input_bodies.h"
#include "glimpsectl/input/piece_reading.h"
#include "glimpsectl/input/table_bodies.h"
#include "glimpsectl/own_daemon.h"
#include "glimpsectl/reports/progress_bar.h"
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
  /// `line_of`: where a line of the body is in the file.
  template <class LineOf>
  void add(const LearnReply& reply, LineOf line_of) {
    accepted_ += reply.accepted;
    missing_ += reply.skipped - reply.beyond_budget - reply.frozen;
    frozen_ += reply.frozen;
    beyond_budget_ += reply.beyond_budget;
    held_out_ += reply.held_out;
    unlabelled_ += reply.unlabelled;
    refused_ += reply.error_count;
    for (const auto& error : reply.errors) {
      if (shown_.size() == kErrorsShown) break;
      const auto line = line_of(error.line);
      const auto place = line == 0 ? std::string() : fmt::format("line {}: ", line);
      shown_.push_back(place + printable(error.message));
    }
  }

  void print_errors(const CommandLine& line, Console& console) const {
    for (const auto& message : shown_)
      console.err << "glimpsectl: '" << line.file << "' " << as_typed(line, message) << '\n';
    console.err.flush();
  }
  bool is_any_refused() const { return refused_ > 0; }
  std::uint64_t unlabelled() const { return unlabelled_; }
  bool is_none_evaluated() const { return frozen_ == 0; }

  /// `is_all`: every request was answered; without an answer nobody knows what became of the last.
  void print(const CommandLine& line, bool is_all, Console& console) const {
    print_errors(line, console);
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

// The names of the attributes of the model, where they have names, and those that hold words.
struct AttributeColumns {
  std::vector<std::string> names;
  std::vector<std::string> words;
};
Result<AttributeColumns> attribute_columns(const HttpClient& client) {
  GLIMPSE_TRY_ASSIGN(const auto body, client.get("/v1/moments?format=json"));
  GLIMPSE_TRY_ASSIGN(const auto moments, parse_answer(body));
  AttributeColumns columns;
  if (const auto* const list = moments.if_contains("moments"); list && list->is_array())
    for (const auto& attribute : list->get_array()) {
      const auto* const of = attribute.if_object();
      const std::string name = of == nullptr ? std::string() : word_in(*of, "name");
      if (name.empty()) continue;
      columns.names.push_back(name);
      if (!number_in(*of, "mean")) columns.words.push_back(name);
    }
  return columns;
}

// Whatever follows "'new.csv': ", on a line of standard error.
template <class... Args>
void note(Console& console, const CommandLine& line, fmt::format_string<Args...> format, Args&&... args) {
  const std::string text = fmt::format(format, std::forward<Args>(args)...);
  console.err << "glimpsectl: " << printable(fmt::format("'{}': {}", line.file, as_typed(line, text)))
              << std::endl;
}

// "column 'a'" or "columns 'a', 'b' and 3 others".
std::string columns_text(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  std::string text = names.size() == 1 ? "column" : "columns";
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i)
    text += (i > 0 ? ", " : " ") + in_quotes(names[i]);
  if (names.size() > kShown) text += fmt::format(" and {} others", names.size() - kShown);
  return text;
}

// What predict, test and explain say of columns, each in one line: others than the model's are passed over,
// those that lack are refused, or their values are missing where that is allowed.
Status match_columns(TableBodies& table, const AttributeColumns& attributes,
                     const boost::json::object& status, const CommandLine& line, bool needs_label,
                     Console& console) {
  table.keep_words(attributes.words);
  if (status.contains("classes") && !status.at("classes").is_null())
    table.keep_words(columns_for(status, "label"));
  if (const auto* const columns = status.if_contains("columns"); columns && columns->is_object())
    if (const auto* const dates = columns->get_object().if_contains("dates"); dates && dates->is_object())
      for (const auto& column : dates->get_object())
        if (column.value().is_string()) table.expect_dates(column.key(), column.value().get_string());
  if (table.names().empty() || attributes.names.empty()) return {};
  std::vector<bool> is_known(table.names().size());
  std::vector<std::string> lacking;
  for (const std::string& name : attributes.names) {
    bool has_it = false;
    for (std::size_t i = 0; i < is_known.size(); ++i)
      if (table.names()[i] == name) has_it = is_known[i] = true;
    if (!has_it) lacking.push_back(name);
  }
  std::vector<std::string> lacking_labels;
  for (const char* const use : {"label", "ignore", "weight"})
    for (const std::string& name : columns_for(status, use)) {
      const auto place = table.find(name);
      if (place) is_known[*place] = true;
      if (!place && needs_label && std::string_view(use) == "label") lacking_labels.push_back(name);
    }
  std::vector<std::string> others;
  for (std::size_t i = 0; i < is_known.size(); ++i)
    if (!is_known[i]) others.push_back(table.names()[i]);
  const std::vector<std::string_view> unknown(others.begin(), others.end());
  if (!lacking_labels.empty())
    return failure(ErrorCode::kInvalidInput,
                   "'{}' has no {}, the label that test compares predictions with{}", line.file,
                   columns_text(lacking_labels), did_you_mean(lacking_labels.front(), unknown));
  if (lacking.size() == attributes.names.size())
    return failure(ErrorCode::kInvalidInput, "'{}' has none of the attributes of the model, which are {}{}",
                   line.file, columns_text(lacking), did_you_mean(lacking.front(), unknown));
  if (!lacking.empty() && !line.allows_missing_columns)
    return failure(
        ErrorCode::kInvalidInput,
        "'{}' has no {}, which the model has{}; --missing-columns allow takes the values as missing",
        line.file, columns_text(lacking), did_you_mean(lacking.front(), unknown));
  if (!lacking.empty())
    note(console, line, "it lacks {}: the values count as missing in each row", columns_text(lacking));
  for (const std::string& kept : line.keep)
    if (const auto place = table.find(kept)) std::erase(others, table.names().at(*place));
  if (!others.empty() && status.contains("columns"))
    note(console, line, "the model does not have {}, which {} passed over", columns_text(others),
         others.size() == 1 ? "is" : "are");
  return {};
}

// Words where numbers are, of all bodies of a table.
class OddTally {
 public:
  void add(const std::vector<OddColumn>& odd, const TableBodies& table, const TableBodies::Body& body) {
    for (const OddColumn& of : odd) {
      const auto known = std::ranges::find(columns_, of.attribute, &OddColumn::attribute);
      if (known != columns_.end())
        known->count += of.count;
      else
        columns_.push_back({of.attribute, of.count, of.first, table.line_of(body, of.line)});
    }
  }

  /// An Error where nine values of ten or more in a column of the first body could not be read.
  Status check_first(const TableBodies& table, const CommandLine& line) const {
    for (const OddColumn& of : columns_) {
      const auto place = table.find(of.attribute);
      const std::uint64_t values = place ? table.values_of(*place) : 0;
      if (!place || 10 * of.count < 9 * values) continue;
      const std::string name = *place < table.names().size() ? of.attribute : std::string();
      return failure(
          ErrorCode::kInvalidInput,
          "'{}' line {}: {} of {} in {} cannot be read as those that the model was learned from, the "
          "first is {}: write them so, or leave the column out with --ignore{}; {}",
          line.file, of.line, with_thousands(of.count), counted(double(values), "value"),
          column_text(*place, name), in_quotes(of.first), column_argument(*place, name),
          "--missing MARK takes a mark for a missing value");
    }
    return {};
  }

  void print(const TableBodies& table, const CommandLine& line, Console& console) const {
    if (columns_.empty()) return;
    std::uint64_t count = 0;
    std::string text;
    std::string mend;
    for (const OddColumn& of : columns_) {
      count += of.count;
      const auto place = table.find(of.attribute);
      text += fmt::format(
          "{}{} in {}, the first {} in line {}", text.empty() ? "" : "; ", with_thousands(of.count),
          place ? column_text(*place, of.attribute) : in_quotes(of.attribute), in_quotes(of.first), of.line);
      if (mend.empty()) mend = cell_mend(of.first, false);
    }
    if (mend.find("--decimal-comma") == std::string::npos) mend.clear();
    note(console, line, "{} where numbers are expected could not be read, and counted as missing: {}{}",
         counted(count, "value"), text, mend);
  }

 private:
  std::vector<OddColumn> columns_;
};

void note_lines_without_row(const TableBodies& table, const CommandLine& line, Console& console) {
  const std::uint64_t count = table.lines_without_row();
  if (count > 0)
    note(console, line, "{} between rows {} blank, a comment or the header again, and no row",
         counted(count, "line"), count == 1 ? "is" : "are");
}

// "POST …: invalid_example: example 3: it is bad" of a body becomes "'new.csv' line 7: it is bad".
Error of_line(const Error& error, const std::string& file,
              const std::function<std::uint64_t(std::uint64_t)>& line_of) {
  for (const std::string_view kind : {": example ", ": line "}) {
    const std::size_t at = error.message.find(kind);
    const std::size_t colon = error.message.find(": ", at + kind.size());
    if (at == std::string::npos || colon == std::string::npos) continue;
    const auto number = whole_text_as<std::uint64_t>(
        std::string_view(error.message).substr(at + kind.size(), colon - at - kind.size()));
    if (!number) continue;
    const std::uint64_t line = line_of(*number);
    const std::string message = error.message.substr(colon + 2);
    if (line == 0 || message.starts_with("the header")) return failure(error.code, "'{}': {}", file, message);
    return failure(error.code, "'{}' line {}: {}", file, line, message);
  }
  return error;
}

// To a daemon that learns nothing, which counts how well the rows are predicted.
Status test_rows(const HttpClient& client, const CommandLine& line, TableBodies& table, LearnTally& tally,
                 OddTally& odd, Console& console) {
  ProgressBar bar({line.file}, console);
  double rows = 0;
  for (bool is_first = true;; is_first = false) {
    GLIMPSE_TRY_ASSIGN(auto body, table.next(LineChunks::kDefaultSize));
    if (!body) return {};
    const auto line_of = [&](std::uint64_t record) { return table.line_of(*body, record); };
    const std::string target = "/v1/learn" + table.query();
    const auto answer = learn_piece(client, target, std::move(body->text), "text/plain", is_first);
    if (!answer) return of_line(answer.error(), line.file, line_of);
    const auto reply = parse_learn_reply(*answer);
    if (!reply) return client.unreadable(target, reply.error().message);
    tally.add(*reply, line_of);
    odd.add(reply->odd, table, *body);
    if (is_first) GLIMPSE_TRY(odd.check_first(table, line));
    bar.show(double(table.bytes_read()), rows += double(body->lines.size()));
  }
}

Status learn_bodies(const HttpClient& client, const CommandLine& line, Console& console, LearnTally& tally) {
  InputBodies bodies(line.file, console);
  ProgressBar bar({line.file}, console);
  double rows = 0;
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
    tally.add(*reply, [](std::uint64_t line_of_file) { return line_of_file; });
    const bool has_examples = reply->accepted + reply->skipped + reply->held_out + reply->error_count > 0;
    if (const Status noted = reading.note(reply->table, has_examples); !noted)
      return client.unreadable(target, noted.error().message);
    bodies.make_room(reading.header_bytes());
    if (!line.json) bar.show(double(bodies.bytes_read()), rows += double(sent));
    if (line.json)
      if (auto written = write_output("", with_final_newline(*answer), console); !written) return written;
  }
}

}  // namespace

namespace {

// As options behind -- say; nullptr: it is no table.
Result<std::unique_ptr<TableBodies>> open_table(const std::string& path, const CommandLine& line,
                                                const std::vector<std::string>& names, std::string& format) {
  GLIMPSE_TRY_ASSIGN(auto table, TableBodies::open(path, line.file, format, names, line.table));
  if (!table && !line.passed.empty())
    return failure(ErrorCode::kInvalidOption, "{} is for tables, and '{}' is {}", line.passed.front(),
                   line.file, format);
  return table;
}

// What one request is about.
struct Question {
  std::string text;
  std::string query;
  std::uint64_t records = 0;
  TableBodies::Body body = {};  // of a table, without its text
};

}  // namespace

std::vector<std::string> columns_for(const boost::json::object& status, std::string_view use) {
  std::vector<std::string> columns;
  const auto* const all = status.if_contains("columns");
  const auto* const list = all && all->is_object() ? all->get_object().if_contains(use) : nullptr;
  if (list && list->is_array())
    for (const auto& name : list->get_array())
      if (name.is_string()) columns.emplace_back(name.get_string());
  return columns;
}

Result<std::vector<std::string>> attribute_names(const HttpClient& client) {
  GLIMPSE_TRY_ASSIGN(auto columns, attribute_columns(client));
  return std::move(columns.names);
}

Status predict_examples(const CommandLine& line, Console& console) {
  const HttpClient client(line.server, line.timeout, line.max_answer);
  std::unique_ptr<ScratchFolder> scratch;
  std::string path = line.file;
  if (line.writes_table()) {
    GLIMPSE_TRY_ASSIGN(scratch, ScratchFolder::make());
    GLIMPSE_TRY_ASSIGN(path, scratch->spool(line.file, console));
  }
  std::string format = line.format;
  std::unique_ptr<TableBodies> table;
  std::string as = line.predict;
  if (line.writes_table()) {
    GLIMPSE_TRY_ASSIGN(const auto attributes, attribute_columns(client));
    GLIMPSE_TRY_ASSIGN(table, open_table(path, line, attributes.names, format));
    if (!table && !line.keep.empty())
      return failure(ErrorCode::kInvalidInput, "--keep is for tables, and '{}' is {}", line.file, format);
    GLIMPSE_TRY_ASSIGN(const auto status, client.get("/v1/status"));
    GLIMPSE_TRY_ASSIGN(const auto facts, parse_answer(status));
    if (const auto* const labels = facts.if_contains("labels"); labels && line.explain && line.label.empty())
      return failure(ErrorCode::kInvalidOption,
                     "an explanation is of one label, and the model has {}: give --label NAME",
                     columns_text(columns_for(facts, "label")));
    if (table) GLIMPSE_TRY(table->keep(line.keep));
    if (table) GLIMPSE_TRY(match_columns(*table, attributes, facts, line, false, console));
    if (table && !attributes.names.empty()) table->send_only(attributes.names);
    if (!line.has("predict") && facts.contains("classes") && !facts.at("classes").is_null())
      as = "probabilities";
  } else if (!line.passed.empty()) {
    return failure(ErrorCode::kInvalidOption,
                   "{} is for tables that are written as CSV: give --model, --keep or --output",
                   line.passed.front());
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
  bool is_first = true;
  bool is_header_alone = false;  // its one answer says what columns of predictions there are
  const auto next = [&]() -> Result<std::optional<Question>> {
    if (table) {
      GLIMPSE_TRY_ASSIGN(auto body, table->next(size));
      is_header_alone = !body && is_first && !table->names().empty() && !line.explain && !line.json;
      if (!body && !is_header_alone) return std::optional<Question>();
      if (!body) return Question{table->body_without_values(), table->query(), 1};
      const std::uint64_t rows = body->lines.size();
      std::string text = std::move(body->text);
      return Question{std::move(text), table->query(), rows, std::move(*body)};
    }
    GLIMPSE_TRY_ASSIGN(auto body, bodies.next());
    if (!body) return std::optional<Question>();
    GLIMPSE_TRY_ASSIGN(const auto query, reading.prepare(*body));
    const std::uint64_t records = records_in(body->text, array);
    return Question{std::move(body->text), query, records};
  };
  std::uint64_t explained = 0;
  std::optional<std::uint64_t> first_model;
  std::optional<std::uint64_t> last_model;
  OddTally odd;
  std::string output;  // of --output
  const bool shows_rows = line.output.empty() && console.out_is_terminal;
  std::optional<ProgressBar> bar(std::in_place, std::vector{path}, console);
  double rows = 0;
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
    if (!answer && line.writes_table())
      return of_line(answer.error(), line.file, [&](std::uint64_t record) {
        return table ? table->line_of(question->body, record) : record;
      });
    if (!answer) return answer.error();
    const std::uint64_t explained_before = explained;
    std::uint64_t predicted = 0;
    Result<std::string> lines = std::string();
    if (line.writes_table() && !line.explain && !line.json) {
      const auto predictions = prediction_table(*answer);
      if (!predictions) return client.unreadable(target, predictions.error().message);
      predicted = predictions->rows.size();
      if (is_first) {
        if (table) *lines = table->kept_header();
        *lines += predictions->header + '\n';
        // As many rows as an answer can have numbers of these classes.
        if (has_all_classes)
          size = std::min(
              LineChunks::kDefaultSize,
              kOfClasses * 1000 / std::max<std::size_t>(1, std::ranges::count(predictions->header, ',')));
      }
      const auto& kept = question->body.kept;
      for (std::size_t r = 0; r < (is_header_alone ? 0 : predictions->rows.size()); ++r)
        lines->append(r < kept.size() ? kept[r] : "").append(predictions->rows[r]) += '\n';
    } else {
      lines = line.explain ? explained_predictions(*answer, explained, question->body.lines)
                           : prediction_lines(*answer);
      if (!lines) return client.unreadable(target, lines.error().message);
      predicted = line.explain ? explained - explained_before
                               : static_cast<std::uint64_t>(std::ranges::count(*lines, '\n'));
    }
    const auto facts = facts_of_predictions(*answer);
    if (!facts) return client.unreadable(target, facts.error().message);
    if (table) odd.add(facts->odd, *table, question->body);
    if (table && is_first) GLIMPSE_TRY(odd.check_first(*table, line));
    is_first = false;
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
    rows += double(asked);
    if (!shows_rows) bar->show(double(table ? table->bytes_read() : bodies.bytes_read()), rows);
  }
  bar.reset();
  if (!line.output.empty()) GLIMPSE_TRY(write_output(line.output, output, console));
  if (table) odd.print(*table, line, console);
  if (table) note_lines_without_row(*table, line, console);
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
  if (!line.json) tally.print(line, is_all, console);
  if (!sent) return sent;
  return tally.verdict(line.file);
}

Status test_model(const CommandLine& line, Console& console) {
  const HttpClient client(line.server, line.timeout, line.max_answer);
  CommandLine quiet = line;
  quiet.json = false;
  LearnTally tally;
  OddTally odd;
  const std::string target = "/v1/status";
  GLIMPSE_TRY_ASSIGN(const auto attributes, attribute_columns(client));
  GLIMPSE_TRY_ASSIGN(const auto table, open_table(line.file, line, attributes.names, quiet.format));
  if (table) {
    GLIMPSE_TRY_ASSIGN(const auto before, client.get(target));
    GLIMPSE_TRY_ASSIGN(const auto status, parse_answer(before));
    GLIMPSE_TRY(match_columns(*table, attributes, status, line, true, console));
    GLIMPSE_TRY(test_rows(client, line, *table, tally, odd, console));
    odd.print(*table, line, console);
    note_lines_without_row(*table, line, console);
  } else {
    GLIMPSE_TRY(learn_bodies(client, quiet, console, tally));
  }
  tally.print_errors(line, console);
  if (tally.unlabelled() > 0)
    note(console, line, "{} without a label {} not tested", counted(tally.unlabelled(), "row"),
         tally.unlabelled() == 1 ? "was" : "were");
  if (tally.is_none_evaluated() && !tally.is_any_refused())
    return failure(ErrorCode::kInvalidInput, "'{}' has no row that could be tested", line.file);
  GLIMPSE_TRY_ASSIGN(const auto body, client.get(target));
  const auto report = line.json ? test_json(body) : test_report(body);
  if (!report) return client.unreadable(target, report.error().message);
  GLIMPSE_TRY(write_output("", *report, console));
  const auto fallback = fallback_report(body);
  if (!line.json && fallback) GLIMPSE_TRY(write_output("", *fallback, console));
  return tally.is_any_refused() ? tally.verdict(line.file) : Status();
}

}  // namespace glimpse::ctl
