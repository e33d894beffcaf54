#include "daemon/api/http_bodies.h"

#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <utility>

#include <boost/json.hpp>

#include "daemon/bodies/body_text.h"
#include "daemon/reports/class_status.h"
#include "daemon/reports/topic_report.h"
#include "data/records/table_layout.h"
#include "data/text/text.h"
#include "json/strict_json.h"
#include "report/fields.h"
#include "report/units.h"

namespace glimpse {

std::optional<TableFacts> table_facts(const Feed& feed) {
  const ExampleReader* const reader = feed.inner_reader != nullptr ? feed.inner_reader : feed.reader.get();
  const auto delimiter = feed.source || !feed.has_first_row ? std::nullopt : reader->field_delimiter();
  const std::uint64_t odd_values = feed.source ? 0 : feed.odd_values;
  if (!delimiter && odd_values == 0) return std::nullopt;
  return TableFacts{delimiter.value_or('\0'), feed.header, odd_values, feed.odd};
}

namespace {

// The fields of an answer that say which values were odd, for the end of an object; empty: none were.
std::string odd_json(const std::optional<TableFacts>& table) {
  if (!table || table->odd_values == 0) return {};
  boost::json::array odd;
  for (const OddAttribute& of : table->odd)
    odd.push_back({{"attribute", valid_utf8(of.attribute)},
                   {"count", of.count},
                   {"first", valid_utf8(of.first)},
                   {"line", of.record}});
  return fmt::format(",\"odd_values\":{},\"odd\":{}", table->odd_values, boost::json::serialize(odd));
}

}  // namespace

std::string table_json(const TableFacts& facts) {
  return fmt::format(R"({{"delimiter":"{}","header_line":{}}})",
                     word_of_delimiter(facts.delimiter).value_or(""),
                     facts.header_line > 0 ? fmt::format("{}", facts.header_line) : "null");
}

namespace json = boost::json;

double steady_seconds(std::chrono::steady_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

std::string columns_json(const TableOptions& table, const TableForm* form) {
  json::object columns{{"label", json::array()}, {"ignore", json::array()}, {"weight", json::array()}};
  for (const auto& [option, choice] : table.choices())
    columns[option].as_array().emplace_back(
        valid_utf8(choice->in_header.empty() ? text_of(*choice) : choice->in_header));
  json::object dates;
  for (std::size_t i = 0; form != nullptr && i < form->columns.size(); ++i) {
    const ColumnForm& column = form->columns[i];
    if (column.type != ColumnForm::Type::kDate) continue;
    const std::string name = i < form->names.size() ? form->names[i] : std::string();
    dates[name.empty() ? fmt::format("#{}", i + 1) : valid_utf8(name)] = column.is_year_first  ? "year"
                                                                         : column.is_day_first ? "day"
                                                                                               : "month";
  }
  columns["dates"] = std::move(dates);
  return json::serialize(columns);
}

std::string status_json(const Statistics& s, const CheckpointStatus& checkpoint, const ServerFacts& facts) {
  std::uint64_t parse_errors = 0;
  std::uint64_t odd_values = 0;
  std::uint64_t filled_records = 0;
  json::array sources;
  for (const Door& door : s.doors) {
    parse_errors += door.parse_errors;
    odd_values += door.odd_values;
    filled_records += door.filled_records;
    json::object source{{"name", door.name},
                        {"kind", door.kind},
                        {"examples", door.examples},
                        {"predictions", door.predictions},
                        {"frozen", door.frozen},
                        {"parse_errors", door.parse_errors},
                        {"odd_values", door.odd_values},
                        {"filled_records", door.filled_records},
                        {"empty_records", door.empty_records},
                        {"sample_records", door.sample_records},
                        {"bytes", door.bytes}};
    if (door.is_input())
      source["failure"] = door.failure.empty() ? json::value(nullptr) : json::value(door.failure);
    if (door.is_topic()) add_topic(door, source);
    sources.push_back(std::move(source));
  }
  json::object status{
      {"version", facts.version},
      {"uptime_seconds", facts.uptime_seconds},
      {"algorithm", s.algorithm},
      {"dimension", s.dimension},
      {"budget", s.budget},
      {"attribute_grid", facts.grid
                             ? json::value{{"columns", facts.grid->columns}, {"rows", facts.grid->rows}}
                             : json::value(nullptr)},
      {"phase", s.phase},
      {"phase_since", s.phase_since ? json::value(*s.phase_since) : json::value(nullptr)},
      {"phase_reason", s.phase_reason},
      {"look_ratio", number_or_null(s.looks.ratio)},
      {"effective_attributes", number_or_null(s.looks.effective)},
      {"look_at_best", s.best_wanted > 0 ? json::value(s.best_wanted) : json::value(nullptr)},
      {"best_attributes",
       s.best ? json::value(json::array(s.best->begin(), s.best->end())) : json::value(nullptr)},
      {"best_since", s.best ? json::value(s.best_since) : json::value(nullptr)},
      {"best_waiting", s.best_waiting.empty() ? json::value(nullptr) : json::value(s.best_waiting)},
      {"step_size", number_or_null(s.step_size)},
      {"examples", s.counts.examples},
      {"examples_skipped_missing", s.counts.missing},
      {"examples_out_of_range", s.counts.out_of_range},
      {"examples_diverged", s.counts.diverged},
      {"examples_left_out", s.counts.left_out},
      {"bounded_values", s.counts.bounded_values},
      {"bounded_labels", s.counts.bounded_labels},
      {"bounded_importances", s.counts.bounded_importances},
      {"values_beyond_range", s.counts.beyond_values},
      {"beyond_range_attribute",
       s.beyond_attribute.empty() ? json::value(nullptr) : json::value(s.beyond_attribute)},
      {"attributes_revealed", s.counts.attributes_revealed},
      {"predictions", s.predictions},
      {"clip", s.clip.text()},
      {"label_min", number_or_null(s.labels.min())},
      {"label_max", number_or_null(s.labels.max())},
      {"label_variance", number_or_null(s.label_variance)},
      {"progressive_loss_share", number_or_null(s.loss_share(s.progressive_loss).value())},
      {"recent_loss_share", number_or_null(s.loss_share(s.recent_loss).value())},
      {"held_out_examples", s.held_out.records},
      {"held_out_values", s.held_out.values},
      {"classes", classes_json(s)},
      {"held_out_classes", class_report_json(s.held_out)},
      {"columns", json::parse(facts.columns)},
      {"fleet", facts.fleet},
      {"frozen", s.is_frozen},
      {"frozen_examples", s.frozen.records},
      {"frozen_values", s.frozen.values},
      {"frozen_classes", class_report_json(s.frozen)},
      {"promotions", s.promotion.count},
      {"promoted_checkpoint",
       s.promotion.is_any() ? json::value(s.promotion.checkpoint) : json::value(nullptr)},
      {"drift_alarms", s.drift.alarms},
      {"drift_examples", s.drift.alarms > 0 ? json::value(s.drift.examples) : json::value(nullptr)},
      {"products", s.expansion ? json::value(s.expansion->products) : json::value(nullptr)},
      {"product_parents", s.expansion ? json::value(s.expansion->parents) : json::value(nullptr)},
      {"product_expansions", s.expansion ? json::value(s.expansion->expansions) : json::value(nullptr)},
      {"products_lacking", s.expansion ? json::value(s.expansion->lacking) : json::value(nullptr)},
      {"model_served", name_of(s.guard.served)},
      {"model_served_examples",
       s.guard.served == Served::kEarlier ? json::value(s.guard.model_examples) : json::value(nullptr)},
      {"model_excess", s.guard.judged > 1 ? number_or_null(s.guard.excess) : json::value(nullptr)},
      {"model_excess_error",
       s.guard.judged > 1 ? number_or_null(s.guard.standard_error) : json::value(nullptr)},
      {"parse_errors", parse_errors},
      {"odd_values", odd_values},
      {"filled_records", filled_records},
      {"queue_bytes", facts.queue_bytes},
      {"names", s.names},
      {"named_sources", s.named_sources},
      {"memory_bytes", s.memory_bytes},
      {"plans_open", s.plans_open},
      {"plans_given", s.plans.given},
      {"plans_learned", s.plans.learned},
      {"plans_not_learned", s.plans.not_learned},
      {"plans_expired", s.plans.expired},
      {"plans_abandoned", s.plans.abandoned},
      {"attributes_reserved", s.spending.attributes_reserved},
      {"cost_spent", money_in_units(s.spending.cost)},
      {"cost_reserved", money_in_units(s.spending.cost_reserved)},
      {"total_budget",
       s.spending.limits.attributes ? json::value(*s.spending.limits.attributes) : json::value(nullptr)},
      {"total_cost",
       s.spending.limits.cost ? json::value(money_in_units(*s.spending.limits.cost)) : json::value(nullptr)},
      {"model_examples", s.model ? json::value(s.model->examples) : json::value(nullptr)},
      {"model_age_seconds",
       s.model ? json::value(model_age_seconds(*s.model, s.counts.examples, facts.now_seconds))
               : json::value(nullptr)},
      {"solve_seconds", s.solve_seconds ? json::value(*s.solve_seconds) : json::value(nullptr)},
      {"checkpoint_age_seconds",
       checkpoint.last_success ? json::value(facts.now_seconds - steady_seconds(checkpoint.succeeded_at))
                               : json::value(nullptr)},
      {"checkpoint_name", checkpoint.name.empty() ? json::value(nullptr) : json::value(checkpoint.name)},
      {"checkpoint_failures", checkpoint.failures},
      {"checkpoint_error",
       checkpoint.last_error.empty() ? json::value(nullptr) : json::value(checkpoint.last_error)},
      {"checkpoint_pause_seconds",
       checkpoint.last_success ? json::value(checkpoint.pause_seconds) : json::value(nullptr)},
      {"checkpoint_duration_seconds",
       checkpoint.last_success ? json::value(checkpoint.duration_seconds) : json::value(nullptr)},
      {"sources", std::move(sources)},
  };
  add_losses(s, status);
  if (!s.by_label.empty()) status["labels"] = labels_json(s);
  return json::serialize(status) + "\n";
}

std::string moments_json_head(std::size_t dimension) {
  return fmt::format(R"({{"dimension":{},"moments":[)", dimension);
}

std::string moment_json(const MomentsSnapshot& s, std::size_t k) {
  const SamplingRow& row = s.rows[k];
  const std::size_t i = s.first + k;
  return fmt::format(
      R"({{"attribute":{},"count":{},"mean":{},"second_moment":{},"max_abs":{},"probability":{}{}}})", i,
      row.moment.count, number(row.moment.mean), number(row.moment.second),
      number(static_cast<double>(row.moment.max_abs)), number(row.probability),
      i < s.names.size() ? ",\"name\":" + json::serialize(json::string(s.names[i])) : std::string());
}

std::string moments_json_rows(const MomentsSnapshot& s) {
  std::string text;
  for (std::size_t k = 0; k < s.rows.size(); ++k)
    text.append(s.first + k == 0 ? "" : ",").append(moment_json(s, k));
  return text;
}

std::string moments_table(std::size_t dimension, const std::vector<std::string>& rows) {
  const json::value parsed = json::parse(fmt::format("[{}]", fmt::join(rows, ",")));
  return fmt::format("dimension  {0}\n\nmost likely to be looked at ({1} of {0})\n{2}",
                     with_thousands(dimension), with_thousands(rows.size()),
                     table_of(parsed.as_array()).text());
}

std::string moments_csv_head() { return "attribute,name,count,mean,second_moment,max_abs,probability\n"; }

std::string moments_csv_rows(const MomentsSnapshot& s) {
  std::string text;
  for (std::size_t k = 0; k < s.rows.size(); ++k) {
    const SamplingRow& row = s.rows[k];
    const std::size_t i = s.first + k;
    if (std::isnan(row.moment.mean))  // of categories
      fmt::format_to(std::back_inserter(text), "{},{},{},,,,{}\n", i,
                     i < s.names.size() ? csv_field(s.names[i]) : "", row.moment.count, row.probability);
    else
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{}\n", i,
                     i < s.names.size() ? csv_field(s.names[i]) : "", row.moment.count, row.moment.mean,
                     row.moment.second, row.moment.max_abs, row.probability);
  }
  return text;
}

std::string numbers_json(const std::vector<double>& numbers, bool is_first) {
  constexpr std::size_t kUsual = 20;  // characters
  std::string text;
  text.reserve(numbers.size() * kUsual);
  for (const double value : numbers) {
    if (!std::exchange(is_first, false)) text += ',';
    if (std::isfinite(value)) {
      fmt::format_to(std::back_inserter(text), "{}", value);
    } else {
      text += "null";
    }
  }
  return text;
}

std::string predictions_json(const std::vector<double>& predictions,
                             const std::vector<double>& standard_errors, std::uint64_t examples,
                             const std::optional<TableFacts>& table) {
  std::string text = "{\"predictions\":[" + numbers_json(predictions, true);
  if (!standard_errors.empty()) text += "],\"standard_errors\":[" + numbers_json(standard_errors, true);
  return text + predictions_json_end(examples, table);
}

std::string predictions_json_end(std::uint64_t examples, const std::optional<TableFacts>& table) {
  std::string text = fmt::format("],\"examples\":{}", examples);
  if (table && table->delimiter != 0) text += ",\"table\":" + table_json(*table);
  return text + odd_json(table) + "}\n";
}

namespace {

json::object learned_object(const BlockResult& result) {
  json::array errors;
  for (const RecordError& error : result.errors)
    errors.push_back({{"line", error.record}, {"message", valid_utf8(error.message)}});
  json::object body{{"accepted", result.learned},
                    {"skipped", result.skipped},
                    {"error_count", result.error_count},
                    {"errors", std::move(errors)}};
  if (result.held_out > 0) body["held_out"] = result.held_out;
  if (result.unlabelled > 0) body["unlabelled"] = result.unlabelled;
  if (result.beyond_budget > 0) body["beyond_budget"] = result.beyond_budget;
  if (result.frozen > 0) body["frozen"] = result.frozen;
  return body;
}

}  // namespace

std::string none_read_json(const BlockResult& result, const std::string& error) {
  json::object body = json::parse(error).as_object();
  for (auto& [name, value] : learned_object(result)) body[name] = std::move(value);
  return json::serialize(body) + "\n";
}

std::string learned_json(const BlockResult& result, const std::optional<SourceCounts>& source,
                         const std::optional<TableFacts>& table) {
  json::object body = learned_object(result);
  if (source) {
    body["inside"] = source->inside;
    body["durable"] = source->durable;
  }
  if (table && table->delimiter != 0) body["table"] = json::parse(table_json(*table));
  std::string text = json::serialize(body);
  text.insert(text.size() - 1, odd_json(table));
  return text + "\n";
}

std::string checkpoint_json(const CheckpointStatus& status) {
  return json::serialize(json::object{{"name", status.name},
                                      {"examples", status.examples},
                                      {"duration_seconds", status.duration_seconds},
                                      {"pause_seconds", status.pause_seconds}}) +
         "\n";
}

}  // namespace glimpse
