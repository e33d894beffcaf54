#include "glimpsectl/reports/model_report.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <boost/json/parse.hpp>

#include "glimpsectl/format/fields.h"
#include "glimpsectl/format/table.h"
#include "glimpsectl/format/top_list.h"
#include "glimpsectl/format/units.h"
#include "glimpsectl/reports/class_reports.h"
#include "json/json_arrays.h"

namespace glimpse::ctl {

namespace {

namespace json = boost::json;

const std::vector<std::string_view> kArrays{"weights",      "importances",   "importance_errors",
                                            "names",        "weight_errors", "weight_lows",
                                            "weight_highs", "attributes"};

struct Row {
  std::uint64_t place = 0;  // among the weights
  std::string attribute;    // of a model with categories another one, of products several: "3*7"
  double weight = 0;
  double importance = std::nan("");
  double error = std::nan("");
  double weight_error = std::nan("");
  double low = std::nan("");  // of the weight
  double high = std::nan("");
  std::string name;
  bool is_whole = false;  // an attribute of categories, which has no weight
};

// NaN for null.
Result<double> number_or_null(std::string_view element) {
  if (element == "null") return std::nan("");
  return parse_json_number(element);
}

// "3", and "3*7" for a list.
Result<std::string> attribute_text(std::string_view element) {
  std::string text;
  if (element.starts_with('[')) element = element.substr(1, element.size() - 2);
  while (true) {
    const std::size_t comma = std::min(element.find(','), element.size());
    GLIMPSE_TRY_ASSIGN(const auto number, parse_json_number(element.substr(0, comma)));
    text += fmt::format("{}{}", text.empty() ? "" : "*", static_cast<std::uint64_t>(number));
    if (comma == element.size()) return text;
    element.remove_prefix(comma + 1);
  }
}

struct ShownModel {
  json::object provenance;
  std::vector<double> weights;
  std::vector<double> importances;
  std::size_t categories = 0;  // attributes of these
  bool named = false;
  std::optional<double> interval;  // the share of truths that intervals hold; none: there are none
};

Result<ShownModel> read_model(std::string_view body) {
  ShownModel model;
  auto rest = walk_arrays(body, kArrays, [&](std::string_view array, std::string_view element) {
    model.named = model.named || array == "names";
    if (array != "weights" && array != "importances") return Status();
    const auto value = number_or_null(element);
    if (!value) return Status(value.error());
    (array == "weights" ? model.weights : model.importances).push_back(*value);
    return Status();
  });
  if (!rest) return rest.error();
  GLIMPSE_TRY(check_numbers(*rest));
  const auto* weights = rest->if_contains("weights");
  if (weights == nullptr || !weights->is_array())
    return failure(ErrorCode::kCorrupt, "it has no list 'weights'");
  if (!model.importances.empty() && model.importances.size() != model.weights.size())
    return failure(ErrorCode::kCorrupt, "it has {} weights, but {} importances", model.weights.size(),
                   model.importances.size());
  model.provenance = std::move(*rest);
  for (const std::string_view array : kArrays) model.provenance.stable_erase(array);
  if (const auto* interval = model.provenance.if_contains("interval"); interval && interval->is_number())
    model.interval = interval->to_number<double>();
  model.provenance.stable_erase("interval");
  return model;
}

// First those of known importance, the largest first, then the others, by the size of their weights.
std::vector<Row> most_important(const ShownModel& model, std::size_t top) {
  TopList<Row> known(top);
  TopList<Row> unknown(top);
  for (std::size_t i = 0; i < model.weights.size(); ++i) {
    const double importance = model.importances.empty() ? std::nan("") : model.importances[i];
    const double size = std::abs(model.weights[i]);
    TopList<Row>& list = std::isnan(importance) ? unknown : known;
    list.offer(std::isnan(importance) ? (std::isnan(size) ? 0 : size) : importance, [&] {
      return Row{.place = i,
                 .attribute = fmt::format("{}", i),
                 .weight = model.weights[i],
                 .importance = importance,
                 .name = {}};
    });
  }
  std::vector<Row> rows = known.take();
  for (Row& row : unknown.take())
    if (rows.size() < top) rows.push_back(std::move(row));
  return rows;
}

// What the lists say of `rows`, in one more walk.
Status fill_in(std::string_view body, std::vector<Row>& rows) {
  std::vector<Row*> wanted;
  for (auto& row : rows) wanted.push_back(&row);
  std::sort(wanted.begin(), wanted.end(), [](const auto* a, const auto* b) { return a->place < b->place; });
  struct Cursor {
    std::uint64_t index = 0;
    std::size_t next = 0;  // in wanted
  };
  std::map<std::string_view, Cursor> cursors;
  const auto walked = walk_arrays(body, kArrays, [&](std::string_view array, std::string_view element) {
    if (array == "weights" || array == "importances") return Status();
    Cursor& at = cursors[array];
    if (at.next == wanted.size() || wanted[at.next]->place != at.index++) return Status();
    Row& row = *wanted[at.next++];
    if (array == "names") {
      json::error_code error;
      const auto name = json::parse(element, error);
      if (error) return Status(failure(ErrorCode::kCorrupt, "it is not JSON: {}", error.message()));
      row.name = field_text("name", name);
      return Status();
    }
    if (array == "attributes") {
      const auto attribute = attribute_text(element);
      if (!attribute) return Status(attribute.error());
      row.attribute = *attribute;
      return Status();
    }
    const auto value = number_or_null(element);
    if (!value) return Status(value.error());
    (array == "importance_errors" ? row.error
     : array == "weight_errors"   ? row.weight_error
     : array == "weight_lows"     ? row.low
                                  : row.high) = *value;
    return Status();
  });
  if (!walked) return walked.error();
  return {};
}

// The attributes of categories are rows beside their features.
Status add_categories(ShownModel& model, std::vector<Row>& rows, std::size_t top) {
  const json::value* list = model.provenance.if_contains("categories");
  if (list == nullptr) return {};
  try {
    model.categories = list->as_array().size();
    for (const json::value& category : list->as_array()) {
      if (category.at("importance").is_null()) continue;
      Row row{.attribute = std::to_string(category.at("attribute").to_number<std::uint64_t>()),
              .importance = category.at("importance").to_number<double>(),
              .name = field_text("name", category.at("name")),
              .is_whole = true};
      if (!category.at("importance_error").is_null())
        row.error = category.at("importance_error").to_number<double>();
      const auto features = category.at("features").to_number<std::uint64_t>();
      row.name += fmt::format(" ({} {})", features, features == 1 ? "category" : "categories");
      const auto after = std::find_if(
          rows.begin(), rows.end(), [&](const Row& other) { return !(other.importance >= row.importance); });
      rows.insert(after, std::move(row));
      if (rows.size() > top) rows.pop_back();
    }
  } catch (const std::exception& error) {
    return failure(ErrorCode::kCorrupt, "its list 'categories' is not what it should be: {}", error.what());
  }
  return {};
}

std::string importance_text(const Row& row) {
  if (std::isnan(row.importance)) return std::string(kAbsent);
  const std::string text = fmt::format("{:.4g}", row.importance);
  return std::isnan(row.error) ? text : text + fmt::format(" ± {:.2g}", row.error);
}

std::string weight_text(const Row& row) {
  if (row.is_whole) return std::string(kAbsent);
  const std::string text = fmt::format("{:.6g}", row.weight);
  return std::isnan(row.weight_error) ? text : text + fmt::format(" ± {:.2g}", row.weight_error);
}

std::string interval_text(const Row& row) {
  if (std::isnan(row.low) || std::isnan(row.high)) return std::string(kAbsent);
  return fmt::format("{:.4g} to {:.4g}", row.low, row.high);
}

}  // namespace

Result<std::string> model_report(std::string_view body, std::size_t top) {
  if (is_model_of_classes(body)) return class_model_report(body, top);
  GLIMPSE_TRY_ASSIGN(auto model, read_model(body));
  std::vector<Row> rows = most_important(model, top);
  GLIMPSE_TRY(fill_in(body, rows));
  GLIMPSE_TRY(add_categories(model, rows, top));
  model.provenance.erase("categories");

  std::vector<Table::Column> columns{
      {"attribute"}, {"importance", true}, {"weight", model.interval.has_value()}};
  if (model.interval) columns.push_back({fmt::format("{:g} % interval", 100 * *model.interval), true});
  if (model.named) columns.push_back({"name", true});
  Table table(columns);
  for (const auto& row : rows) {
    std::vector<std::string> cells{row.attribute, importance_text(row), weight_text(row)};
    if (model.interval) cells.push_back(interval_text(row));
    cells.push_back(row.name);
    table.add(std::move(cells));
  }
  return fmt::format("{}\nmost important ({} of {}); importance: share of the label's variance\n{}",
                     object_report(model.provenance), with_thousands(rows.size()),
                     with_thousands(model.weights.size() + model.categories), table.text());
}

namespace {

std::string part_text(const json::value& value) {
  return value.is_null() ? std::string(kAbsent) : fmt::format("{:.6g}", value.to_number<double>());
}

// "3", and "3*7" for a product.
std::string factors_text(const json::value& value) {
  if (!value.is_array()) return fmt::format("{}", value.to_number<std::uint64_t>());
  std::string text;
  for (const json::value& factor : value.as_array())
    text += fmt::format("{}{}", text.empty() ? "" : "*", factor.to_number<std::uint64_t>());
  return text;
}

std::string parts_table(const json::object& explanation) {
  Table table({{"contribution"}, {"attribute"}, {"value"}, {"", true}});
  const auto add_sum = [&](const char* field, const char* what) {
    const json::value& value = explanation.at(field);
    if (value.is_null() || value.to_number<double>() != 0) table.add({part_text(value), "", "", what});
  };
  table.add({part_text(explanation.at("at_means")), "", "", "the prediction at the means"});
  for (const json::value& item : explanation.at("contributions").as_array()) {
    const json::object& part = item.as_object();
    const json::value* const name = part.if_contains("name");
    table.add({part_text(part.at("contribution")), factors_text(part.at("attribute")),
               part_text(part.at("value")), name == nullptr ? "" : field_text("name", *name)});
  }
  add_sum("rest", "the others");
  add_sum("unknown", "what is expected of those that are not known");
  add_sum("clipped", "clipping");
  return table.text();
}

}  // namespace

Result<std::string> explained_predictions(std::string_view body, std::uint64_t& before) {
  try {
    const json::value answer = json::parse(body);
    const json::array& predictions = answer.at("predictions").as_array();
    const json::array& explanations = answer.at("explanations").as_array();
    const json::value* const errors = answer.as_object().if_contains("standard_errors");
    if (explanations.size() != predictions.size())
      return failure(ErrorCode::kCorrupt, "it has {} predictions, but {} explanations", predictions.size(),
                     explanations.size());
    std::string text;
    for (std::size_t e = 0; e < predictions.size(); ++e) {
      const json::object& explanation = explanations[e].as_object();
      if (const json::value* const next = explanation.if_contains("next")) {
        text +=
            fmt::format("{}example {}: {}, of log-odds {} over {}\n{}", before > 0 ? "\n" : "", before + 1,
                        field_text("class", explanation.at("class")), part_text(explanation.at("margin")),
                        field_text("next", *next), parts_table(explanation));
        ++before;
        continue;
      }
      const json::object& variance = explanation.at("variance").as_object();
      text += fmt::format("{}example {}: {}", before > 0 ? "\n" : "", before + 1, part_text(predictions[e]));
      if (errors != nullptr)
        GLIMPSE_TRY(check_number(json::serialize(errors->as_array().at(e)), 0, INFINITY));
      if (errors != nullptr) text += " ± " + part_text(errors->as_array().at(e));
      text +=
          fmt::format("; variance: {} of noise, {} of what is not known\n{}", part_text(variance.at("noise")),
                      part_text(variance.at("unknown")), parts_table(explanation));
      ++before;
    }
    return text;
  } catch (const std::exception& error) {
    return failure(ErrorCode::kCorrupt, "its explanations are not what they should be: {}", error.what());
  }
}

}  // namespace glimpse::ctl
