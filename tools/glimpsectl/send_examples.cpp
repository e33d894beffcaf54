#include <algorithm>
#include <utility>

#include "glimpsectl/client/http_client.h"
#include "glimpsectl/commands.h"
#include "glimpsectl/format/table.h"
#include "glimpsectl/format/units.h"
#include "glimpsectl/input/console.h"
#include "glimpsectl/input/input_bodies.h"
#include "glimpsectl/input/piece_reading.h"
#include "glimpsectl/reports/model_report.h"
#include "glimpsectl/reports/reports.h"
#include "glimpsectl/reports/status_summary.h"
#include "json/json_elements.h"

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

Status predict_examples(const CommandLine& line, Console& console) {
  const HttpClient client(line.server, line.timeout, line.max_answer);
  // Predictions are explained for small bodies alone.
  constexpr std::size_t kExplained = 16'000;
  // An answer has at most 4,000,000 numbers of classes, of which there are up to 1000; a line has two bytes.
  constexpr std::size_t kOfClasses = 8'000;
  const bool has_all_classes = line.predict != "label" && !line.predict.empty();
  InputBodies bodies(line.file, console,
                     line.explain      ? kExplained
                     : has_all_classes ? kOfClasses
                                       : LineChunks::kDefaultSize);
  GLIMPSE_TRY_ASSIGN(const auto array, bodies.is_array());
  PieceReading reading(line.format);
  std::uint64_t explained = 0;
  std::optional<std::uint64_t> first_model;
  std::optional<std::uint64_t> last_model;
  const std::string_view type = array ? kJson : line.format.empty() ? kNdjson : "text/plain";
  for (;;) {
    GLIMPSE_TRY_ASSIGN(auto body, bodies.next());
    if (!body) break;
    GLIMPSE_TRY_ASSIGN(const auto query, reading.prepare(*body));
    const std::string wish =
        line.explain ? fmt::format("explain=true&top={}", line.top) : "predict=" + line.predict;
    std::string target = "/v1/predict" + query + (query.empty() ? "?" : "&") + wish;
    if (!line.label.empty()) target += "&label=" + as_query_value(line.label);
    if (!line.checkpoint.empty()) target += "&checkpoint=" + line.checkpoint;
    const std::uint64_t records = records_in(body->text, array);
    GLIMPSE_TRY_ASSIGN(const auto answer, client.post(target, std::move(body->text), type));
    const std::uint64_t explained_before = explained;
    const auto lines = line.explain ? explained_predictions(answer, explained) : prediction_lines(answer);
    if (!lines) return client.unreadable(target, lines.error().message);
    const auto facts = facts_of_predictions(answer);
    if (!facts) return client.unreadable(target, facts.error().message);
    if (!first_model) first_model = facts->examples;
    last_model = facts->examples;
    if (const Status noted = reading.note(facts->table, true); !noted)
      return client.unreadable(target, noted.error().message);
    const std::uint64_t asked = records - (reading.header_bytes() > 0 ? 1 : 0);
    const std::uint64_t predicted = line.explain
                                        ? explained - explained_before
                                        : static_cast<std::uint64_t>(std::ranges::count(*lines, '\n'));
    // An older daemon does not say whether there was a header.
    const bool may_be_header =
        !facts->table && predicted + 1 == asked && (line.format == "csv" || line.format == "auto");
    if (predicted != asked && !may_be_header)
      return client.unreadable(
          target, fmt::format("{} for {}", counted(predicted, "prediction"), counted(asked, "example")));
    GLIMPSE_TRY(write_output("", line.json ? with_final_newline(answer) : *lines, console));
    bodies.make_room(reading.header_bytes());
  }
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
  GLIMPSE_TRY(learn_bodies(client, quiet, console, tally));
  tally.print_errors(line.file, console);
  const std::string target = "/v1/status";
  GLIMPSE_TRY_ASSIGN(const auto body, client.get(target));
  const auto report = line.json ? test_json(body) : test_report(body);
  if (!report) return client.unreadable(target, report.error().message);
  GLIMPSE_TRY(write_output("", *report, console));
  return tally.is_any_refused() ? tally.verdict(line.file) : Status();
}

}  // namespace glimpse::ctl
