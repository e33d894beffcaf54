#include "glimpsectl/reports/reports.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "glimpsectl/reports/class_reports.h"
#include "json/json_arrays.h"
#include "report/fields.h"
#include "report/table.h"
#include "report/units.h"

namespace glimpse::ctl {

namespace {

namespace json = boost::json;

Result<json::value> parse(std::string_view text) {
  json::error_code error;
  auto value = json::parse(text, error);
  if (error) return failure(ErrorCode::kCorrupt, "it is not JSON: {}", error.message());
  return value;
}

Status must_have(const json::object& object, std::string_view array) {
  const auto* value = object.if_contains(array);
  if (value == nullptr || !value->is_array())
    return failure(ErrorCode::kCorrupt, "it has no list '{}'", array);
  return {};
}

Result<std::optional<TableReply>> table_in(const json::object& object) {
  const auto* value = object.if_contains("table");
  if (value == nullptr) return std::optional<TableReply>();
  const auto* table = value->if_object();
  const auto* delimiter = table == nullptr ? nullptr : table->if_contains("delimiter");
  if (delimiter == nullptr || !delimiter->is_string())
    return failure(ErrorCode::kCorrupt, "its 'table' has no 'delimiter'");
  TableReply reply{std::string(delimiter->get_string()), {}};
  if (const auto line = number_in(*table, "header_line"); line && *line >= 1 && *line < 0x1p64)
    reply.header_line = static_cast<std::uint64_t>(*line);
  return std::optional(std::move(reply));
}

// Of answers to tables; nothing where their form is another.
std::vector<OddColumn> odd_in(const json::object& object) {
  std::vector<OddColumn> odd;
  const auto* const list = object.if_contains("odd");
  if (list == nullptr || !list->is_array()) return odd;
  for (const json::value& value : list->get_array()) {
    const auto* const of = value.if_object();
    const auto count = of == nullptr ? std::nullopt : number_in(*of, "count");
    if (!count) continue;
    odd.push_back({word_in(*of, "attribute"), static_cast<std::uint64_t>(*count), word_in(*of, "first"),
                   static_cast<std::uint64_t>(number_in(*of, "line").value_or(0))});
  }
  return odd;
}

// Of POST /v1/predict.
const std::vector<std::string_view> kPredictionArrays{
    "predictions", "standard_errors", "classes", "probability", "margins", "probabilities", "scores"};

// "0.25 ± 0.01" in place of two fields.
void join_errors(json::object& object, std::initializer_list<const char*> names) {
  for (const std::string name : names) {
    const auto mean = number_in(object, name);
    const auto error = number_in(object, name + "_error");
    if (!mean || !error) continue;
    object[name] = fmt::format("{} ± {:.2g}", readable_number(*mean), *error);
    object.stable_erase(name + "_error");
  }
}

}  // namespace

Result<std::string> status_report(std::string_view body) {
  GLIMPSE_TRY_ASSIGN(auto status, parse_answer(body));
  join_errors(status, {"progressive_loss", "recent_loss", "r2", "recent_r2", "held_out_loss",
                       "held_out_recent_loss", "held_out_r2", "held_out_recent_r2", "frozen_loss",
                       "frozen_recent_loss", "frozen_r2", "frozen_recent_r2"});
  std::string confusion;
  if (json::value* const classes = status.if_contains("held_out_classes"); classes && classes->is_object()) {
    join_errors(classes->get_object(),
                {"error", "recent_error", "log_loss", "recent_log_loss", "brier", "recent_brier"});
    confusion = confusion_table(status);
    if (!confusion.empty()) classes->get_object().stable_erase("confusion");
  }
  return object_report(status) + confusion;
}

Result<std::string> plain_report(std::string_view body) {
  GLIMPSE_TRY_ASSIGN(const auto object, parse_answer(body));
  if (object.empty()) return failure(ErrorCode::kCorrupt, "it says nothing");
  return object_report(object);
}

namespace {

// A prediction (`least` is below 0) is a number; its standard error may be unknown.
Status check_of_example(std::string_view number, double least) {
  if (number == "null" && least < 0)
    return failure(ErrorCode::kCorrupt, "its 'predictions' hold null, which is no number");
  return check_number(number, least, INFINITY);
}

// Appends to each example's line a number of each label, whose text stays as it is, from
// {"temp":[…],"cnt":[…]}, which `rest` is behind then. Lines that there are stay as many.
Status append_of_labels(std::string_view& rest, std::vector<std::string>& lines, double least) {
  const auto wrong = failure(ErrorCode::kCorrupt, "its 'predictions' are no lists of one length");
  bool makes_lines = lines.empty();
  for (bool is_first = true; rest.starts_with(is_first ? '{' : ','); is_first = false) {
    std::size_t end = 2;  // of the name, behind its first quote
    while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2 : 1;
    if (end >= rest.size() || !rest.substr(end).starts_with("\":[")) return wrong;
    rest.remove_prefix(end + 3);
    std::string_view numbers = rest.substr(0, rest.find(']'));
    rest.remove_prefix(std::min(numbers.size() + 1, rest.size()));
    std::size_t i = 0;
    for (; !numbers.empty(); ++i) {
      const std::string_view number = numbers.substr(0, numbers.find(','));
      numbers.remove_prefix(std::min(number.size() + 1, numbers.size()));
      GLIMPSE_TRY(check_of_example(number, least));
      if (makes_lines)
        lines.emplace_back();
      else if (i >= lines.size())
        return wrong;
      lines[i] += makes_lines ? "" : " ";
      lines[i] += number == "null" ? "nan" : number;
    }
    if (i != lines.size()) return wrong;
    makes_lines = false;
  }
  if (!rest.starts_with('}')) return wrong;
  rest.remove_prefix(1);
  return {};
}

// A line for each example: the predictions of all labels, and then their standard errors, where there are.
Result<std::string> label_prediction_lines(std::string_view body) {
  constexpr std::string_view kErrors = ",\"standard_errors\":";
  std::vector<std::string> lines;
  std::string_view rest = body.substr(body.find(":{") + 1);
  GLIMPSE_TRY(append_of_labels(rest, lines, -INFINITY));
  if (rest.starts_with(kErrors)) {
    rest.remove_prefix(kErrors.size());
    GLIMPSE_TRY(append_of_labels(rest, lines, 0));
  }
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

}  // namespace

Result<std::string> prediction_lines(std::string_view body) {
  if (body.starts_with("{\"predictions\":{")) return label_prediction_lines(body);
  ElementsByArray elements;
  const auto object =
      walk_arrays(body, kPredictionArrays, [&](std::string_view array, std::string_view element) {
        elements[array].push_back(element);
        return Status();
      });
  if (!object) return object.error();
  GLIMPSE_TRY(must_have(*object, "predictions"));
  if (object->contains("classes")) return class_prediction_lines(elements);
  const auto& predictions = elements["predictions"];
  const auto& errors = elements["standard_errors"];
  if (!errors.empty() && errors.size() != predictions.size())
    return failure(ErrorCode::kCorrupt, "it has {} predictions, but {} standard errors", predictions.size(),
                   errors.size());
  std::string lines;
  const auto add = [&](std::string_view element, char end, double least) -> Status {
    GLIMPSE_TRY(check_of_example(element, least));
    lines.append(element == "null" ? "nan" : element) += end;
    return {};
  };
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    GLIMPSE_TRY(add(predictions[i], errors.empty() ? '\n' : ' ', -INFINITY));
    if (errors.empty()) continue;
    GLIMPSE_TRY(add(errors[i], '\n', 0));
  }
  return lines;
}

Result<LearnReply> parse_learn_reply(std::string_view body) {
  LearnReply reply;
  const auto object = walk_arrays(body, {"errors"}, [&](std::string_view, std::string_view element) {
    const auto value = parse(element);
    if (!value) return Status(value.error());
    LearnReply::Refused refused;
    if (const auto* fields = value->if_object()) {
      refused.line =
          static_cast<std::uint64_t>(std::clamp(number_in(*fields, "line").value_or(0), 0.0, 0x1p63));
      const auto* message = fields->if_contains("message");
      refused.message = message != nullptr ? field_text("message", *message) : json::serialize(*value);
    } else {
      refused.message = field_text("error", *value);
    }
    reply.errors.push_back(std::move(refused));
    return Status();
  });
  if (!object) return object.error();
  GLIMPSE_TRY(check_numbers(*object));
  const auto accepted = number_in(*object, "accepted");
  if (!accepted) return failure(ErrorCode::kCorrupt, "it has no number 'accepted'");
  reply.accepted = static_cast<std::uint64_t>(*accepted);
  const auto amount = [&](std::string_view name) {
    return static_cast<std::uint64_t>(number_in(*object, name).value_or(0));
  };
  reply.skipped = amount("skipped");
  reply.beyond_budget = std::min(amount("beyond_budget"), reply.skipped);
  reply.frozen = std::min(amount("frozen"), reply.skipped - reply.beyond_budget);
  reply.held_out = amount("held_out");
  reply.unlabelled = amount("unlabelled");
  reply.error_count = std::max<std::uint64_t>(amount("error_count"), reply.errors.size());
  reply.odd = odd_in(*object);
  GLIMPSE_TRY_ASSIGN(reply.table, table_in(*object));
  return reply;
}

Result<PredictionFacts> facts_of_predictions(std::string_view body) {
  GLIMPSE_TRY_ASSIGN(
      const auto object,
      walk_arrays(body, kPredictionArrays, [](std::string_view, std::string_view) { return Status(); }));
  GLIMPSE_TRY(check_numbers(object));
  GLIMPSE_TRY_ASSIGN(auto table, table_in(object));
  PredictionFacts facts{std::move(table), std::nullopt};
  facts.odd = odd_in(object);
  if (const auto examples = number_in(object, "examples"); examples)
    facts.examples = static_cast<std::uint64_t>(*examples);
  return facts;
}

namespace {

constexpr double kLastSecond = 253402300799;  // of the year 9999

std::string time_of(double seconds) {
  if (!(seconds >= 0 && seconds <= kLastSecond)) return std::string(kAbsent);
  const auto whole = static_cast<std::time_t>(seconds);
  std::tm parts{};
  if (::gmtime_r(&whole, &parts) == nullptr) return std::string(kAbsent);
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", parts);
}

std::string text_cell(const boost::json::object& row, std::string_view name) {
  const auto* value = row.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string(kAbsent);
}

std::string number_cell(const boost::json::object& row, const std::string& name,
                        std::string (*show)(double value)) {
  const auto number = number_in(row, name);
  return number ? show(*number) : std::string(kAbsent);
}

}  // namespace

Result<std::string> checkpoints_report(std::string_view body) {
  GLIMPSE_TRY_ASSIGN(const auto object, parse_answer(body));
  const auto* listed = object.if_contains("checkpoints");
  if (listed == nullptr || !listed->is_array())
    return failure(ErrorCode::kCorrupt, "it has no list 'checkpoints'");
  Table table({{"checkpoint", true}, {"examples", false}, {"size", false}, {"written", true}});
  for (const auto& one : listed->get_array()) {
    if (!one.is_object()) return failure(ErrorCode::kCorrupt, "an element of 'checkpoints' is not an object");
    const auto& row = one.get_object();
    table.add({text_cell(row, "name"), number_cell(row, "examples", readable_number),
               number_cell(row, "bytes", readable_bytes), number_cell(row, "written_at", time_of)});
  }
  return table.text();
}

}  // namespace glimpse::ctl
