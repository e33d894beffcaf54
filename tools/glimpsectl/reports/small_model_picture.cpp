#include "glimpsectl/reports/small_model_picture.h"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "glimpsectl/format/chart.h"

namespace glimpse::ctl {
namespace {

namespace json = boost::json;

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
