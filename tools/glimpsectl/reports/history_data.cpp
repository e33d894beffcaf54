#include "glimpsectl/reports/history_data.h"

#include <cmath>
#include <exception>
#include <fmt/format.h>
#include <stdexcept>

#include <boost/json.hpp>

#include "report/table.h"
#include "report/units.h"

namespace glimpse::ctl {
namespace {

namespace json = boost::json;

constexpr double kMostExamples = 0x1p60;

double number_or_nan(const json::value& value) {
  const double number = value.is_null() ? std::nan("") : value.to_number<double>();
  return std::isfinite(number) ? number : std::nan("");
}

std::string label_of(const json::object& told) {
  const json::value* const label = told.if_contains("label");
  return label != nullptr ? std::string(label->as_string()) : std::string();
}

HistoryData parse_history(std::string_view body) {
  HistoryData data;
  const json::value answer = json::parse(body);
  data.examples = answer.at("examples").to_number<double>();
  data.label = label_of(answer.as_object());
  // Daemons of earlier builds do not report these.
  if (const json::value* const promotions = answer.as_object().if_contains("promotions"))
    data.promotions = promotions->to_number<double>();
  if (const json::value* const run = answer.as_object().if_contains("run"))
    data.run = run->to_number<double>();
  for (const auto& [name, list] : answer.at("columns").as_object()) {
    std::vector<double>& column = data.columns[std::string(name)];
    for (const json::value& value : list.as_array()) column.push_back(number_or_nan(value));
  }
  double before = 0;
  for (const double examples : data.column("examples")) {
    if (!(examples > before && examples >= 1 && examples <= kMostExamples))
      throw std::invalid_argument("examples are no counts that grow from sample to sample");
    before = examples;
  }
  for (const auto& [name, column] : data.columns)
    if (column.size() != data.column("examples").size())
      throw std::invalid_argument("columns differ in length");
  for (const json::value& event : answer.at("events").as_array())
    data.events.push_back({std::string(event.at("event").as_string()), number_or_nan(event.at("examples")),
                           number_or_nan(event.at("value")), label_of(event.as_object())});
  return data;
}

}  // namespace

const std::vector<double>& HistoryData::column(std::string_view name) const {
  static const std::vector<double> none;
  const auto found = columns.find(name);
  return found != columns.end() ? found->second : none;
}

std::uint64_t HistoryData::last() const {
  const std::vector<double>& all = column("examples");
  return all.empty() ? 0 : static_cast<std::uint64_t>(all.back());
}

bool HistoryData::append(const HistoryData& newer) {
  if (newer.run != run || newer.promotions != promotions) return false;
  if (newer.examples < static_cast<double>(last())) return false;
  const std::vector<double>& more = newer.column("examples");
  if (!more.empty() && more.front() <= static_cast<double>(last())) return false;
  examples = newer.examples;
  const auto since = static_cast<double>(last());
  for (auto& [name, column] : columns) {
    const std::vector<double>& values = newer.column(name);
    if (values.size() != more.size()) return false;
    column.insert(column.end(), values.begin(), values.end());
  }
  std::erase_if(events, [&](const Event& event) { return event.examples >= since; });
  events.insert(events.end(), newer.events.begin(), newer.events.end());
  return true;
}

Result<HistoryData> read_history(std::string_view body) {
  try {
    return parse_history(body);
  } catch (const std::exception& error) {
    return failure(ErrorCode::kCorrupt, "is no history: {}", error.what());
  }
}

std::string event_text(const HistoryData::Event& event) {
  if (event.name == "phase" && event.value >= 1) return fmt::format("phase {:.0f}", event.value);
  if (event.name == "drift") return "change noticed";
  if (event.name == "promotion" && event.value >= 0)
    return fmt::format("promotion, {} taken back",
                       readable_number(std::max(event.value - event.examples, 0.0)));
  std::string words = printable(event.name);
  for (char& c : words)
    if (c == '_') c = ' ';
  if (!event.label.empty()) words += fmt::format(" ({})", printable(event.label));
  return words;
}

}  // namespace glimpse::ctl
