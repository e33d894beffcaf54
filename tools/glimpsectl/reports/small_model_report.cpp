#include "glimpsectl/reports/small_model_report.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <fmt/format.h>
#include <limits>
#include <utility>
#include <vector>

#include <boost/json.hpp>
#include <boost/json/parse.hpp>

#include "report/chart.h"
#include "report/fields.h"
#include "report/table.h"
#include "report/units.h"

namespace glimpse::ctl {

namespace {

namespace json = boost::json;

constexpr std::size_t kBar = 40;  // columns of the mean's loss

std::string number_or_dash(const json::value& value, const char* absent = "–") {
  return value.is_null() ? absent : fmt::format("{:.6g}", value.to_number<double>());
}

// NaN: not known, as a square of a label that is no double.
double loss_number(const json::value& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.to_number<double>();
}

std::string loss_text(double loss, double error) {
  if (std::isnan(loss)) return "–";
  return error > 0 ? fmt::format("{:.5g} ± {:.2g}", loss, error) : fmt::format("{:.5g}", loss);
}

// "age + sex − bmi", by names where there are some.
std::string change_text(const json::object& point) {
  std::string text;
  const auto add = [&](const char* list, const char* names, const char* first, const char* next) {
    const json::value* const named = point.if_contains(names);
    const json::array& numbers = point.at(list).as_array();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      text += text.empty() ? first : next;
      text += named != nullptr ? field_text("name", named->as_array().at(i)) : number_or_dash(numbers[i]);
    }
  };
  add("added", "added_names", "", " + ");
  add("removed", "removed_names", "− ", " − ");
  return text;
}

std::string bar(double share) {
  const auto length = static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * kBar));
  std::string text;
  for (std::size_t i = 0; i < length; ++i) text += "█";
  return text;
}

std::string curve_table(const json::object& answer) {
  const json::array& curve = answer.at("curve").as_array();
  const bool has_costs = !answer.at("cost").is_null();
  const double of_mean = loss_number(answer.at("loss_of_mean"));
  std::vector<Table::Column> columns{{"attributes"}, {"added", true}};
  if (has_costs) columns.push_back({"cost"});
  columns.insert(columns.end(), {{"expected loss", true}, {"", true}});
  Table table(columns);
  for (const json::value& item : curve) {
    const json::object& point = item.as_object();
    const double loss = loss_number(point.at("loss"));
    std::vector<std::string> cells{number_or_dash(point.at("attributes")), change_text(point)};
    if (has_costs) cells.push_back(number_or_dash(point.at("cost")));
    cells.push_back(loss_text(loss, loss_number(point.at("loss_error"))));
    cells.push_back(bar(of_mean > 0 && !std::isnan(loss) ? loss / of_mean : 0));
    table.add(std::move(cells));
  }
  return table.text();
}

std::string weights_table(const json::object& answer) {
  Table table({{"weight"}, {"", true}});
  table.add({number_or_dash(answer.at("bias")), "bias"});
  for (const auto& [name, weight] : answer.at("weights").as_object())
    table.add({number_or_dash(weight), std::string(name)});
  return table.text();
}

}  // namespace

Result<std::string> small_model_report(std::string_view body) {
  try {
    const json::value parsed = json::parse(body);
    const json::object& answer = parsed.as_object();
    json::object provenance;
    if (const json::value* const label = answer.if_contains("label")) provenance["label"] = *label;
    for (const char* const field :
         {"algorithm", "examples", "attributes_revealed", "age_seconds", "cost", "loss", "loss_error"})
      if (const json::value& value = answer.at(field); !value.is_null()) provenance[field] = value;
    if (const json::value* const of_class = answer.if_contains("class")) provenance["class"] = *of_class;
    return fmt::format("{}\n{}\n{}", object_report(provenance), weights_table(answer), curve_table(answer));
  } catch (const std::exception& error) {
    return failure(ErrorCode::kCorrupt, "is no small model: {}", error.what());
  }
}

namespace {

constexpr double kStep = 36;  // pixels between two numbers of attributes

struct Point {
  double loss;
  double error;
  std::string name;  // of what was added
};

std::vector<Point> read_curve(std::string_view body) {
  std::vector<Point> points;
  const json::value answer = json::parse(body);
  for (const json::value& item : answer.at("curve").as_array()) {
    const json::object& point = item.as_object();
    if (point.at("loss").is_null() || point.at("loss_error").is_null())
      throw std::domain_error("a loss is not known, and there is nothing to draw");
    std::string name;
    const json::value* const names = point.if_contains("added_names");
    for (const json::value& added : (names != nullptr ? *names : point.at("added")).as_array()) {
      if (!name.empty()) name += " + ";
      name += added.is_string() ? std::string(added.as_string()) : json::serialize(added);
    }
    points.push_back(
        {point.at("loss").to_number<double>(), point.at("loss_error").to_number<double>(), name});
  }
  return points;
}

Chart chart_of(const std::vector<Point>& points) {
  Chart chart;
  chart.title = "Expected loss by number of attributes ± standard error";
  chart.y_label = "expected loss";
  chart.width = std::max(kStep * static_cast<double>(points.size()), 560.0);
  chart.x_min = -0.5;
  chart.x_max = static_cast<double>(points.size()) - 0.5;
  Chart::Series series{"", {}, true};
  double most = 0;
  for (const Point& p : points) {
    const auto at = static_cast<double>(series.points.size());
    most = std::max(most, p.loss + p.error);
    series.points.push_back({at, p.loss, p.loss - p.error, p.loss + p.error});
    chart.ticks.push_back({at, fmt::format("{}", at), p.name});
  }
  chart.y_max = most > 0 ? most * 1.05 : 1;
  chart.series.push_back(std::move(series));
  return chart;
}

}  // namespace

Result<std::string> small_model_picture(std::string_view body) {
  try {
    return draw(chart_of(read_curve(body)));
  } catch (const std::exception& error) {
    return failure(ErrorCode::kCorrupt, "is no small model: {}", error.what());
  }
}

}  // namespace glimpse::ctl
