#include "glimpsectl/reports/history_picture.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "glimpsectl/format/chart.h"
#include "glimpsectl/format/query_text.h"
#include "glimpsectl/format/table.h"
#include "glimpsectl/format/units.h"

namespace glimpse::ctl {
namespace {

constexpr std::size_t kMostMarks = 15;
constexpr double kShown = 0.35;  // of the log axis, from its end: sets the height, as first losses are wild

struct Line {
  const char* column;
  const char* name;
  bool has_band;
};
struct Kind {
  const char* of;
  const char* title;
  const char* y_label;
  Line lines[3];
};
constexpr Kind kKinds[] = {{"r2",
                            "R²: the share of the labels' variance that is predicted",
                            "R²",
                            {{"recent_r2", "recent examples ± standard error", true},
                             {"held_out_recent_r2", "held out, recent", true},
                             {"r2", "all examples so far", false}}},
                           {"loss",
                            "Mean squared error of predictions made before learning",
                            "mean squared error",
                            {{"recent_loss", "recent examples ± standard error", true},
                             {"held_out_recent_loss", "held out, recent", true},
                             {"progressive_loss", "all examples so far", false}}},
                           {"rmse",
                            "Root mean squared error of predictions made before learning",
                            "root mean squared error, in the label's unit",
                            {{"recent_rmse", "recent examples", false},
                             {"held_out_recent_rmse", "held out, recent", false},
                             {"rmse", "all examples so far", false}}},
                           {"wrong",
                            "Held-out examples for which another class was predicted",
                            "share that is wrong",
                            {{"held_out_recent_wrong", "held out, recent ± standard error", true}, {}, {}}}};

bool is_known(const std::vector<double>& column) {
  return std::ranges::any_of(column, [](double value) { return std::isfinite(value); });
}

const Kind* find_kind(const HistoryData& history, std::string_view of) {
  for (const Kind& kind : kKinds)
    if (of == kind.of || (of == "auto" && is_known(history.column(kind.lines[0].column)))) return &kind;
  return nullptr;
}

Chart::Series series_of(const HistoryData& history, const Line& line) {
  Chart::Series series{line.name, {}};
  const auto& examples = history.column("examples");
  const auto& values = history.column(line.column);
  const auto& errors = history.column(std::string(line.column) + "_error");
  for (std::size_t i = 0; i < values.size(); ++i) {
    // A mean of one or two examples, of which no error is known, says nothing.
    const bool is_error_known = i < errors.size() && std::isfinite(errors[i]);
    const double value = is_error_known || !line.has_band ? values[i] : std::nan("");
    const double error = line.has_band && is_error_known ? errors[i] : std::nan("");
    series.points.push_back({examples[i], value, value - error, value + error});
  }
  return series;
}

// What there is towards the end is shown whole; what came before is cut off where it lies far away.
void set_heights(Chart& chart, bool is_r2) {
  const double shown = chart.x_min * std::pow(chart.x_max / chart.x_min, kShown);
  double low = 0;
  double high = is_r2 ? 0.1 : 0;
  for (const Chart::Series& series : chart.series)
    for (const Chart::Point& p : series.points) {
      if (p.x < shown || !std::isfinite(p.y)) continue;
      low = std::min({low, p.y, std::isfinite(p.low) ? p.low : p.y});
      high = std::max({high, p.y, std::isfinite(p.high) ? p.high : p.y});
    }
  if (is_r2) {
    chart.y_min = std::max(low, -0.5);
    chart.y_max = high > 0.6 ? 1 : std::min(1.0, high * 1.1);
  } else {
    chart.y_min = std::max(low, -high / 4);
    chart.y_max = high > 0 ? high * 1.05 : 1;
  }
}

// The phases, and of the others the last ones.
void add_marks(const HistoryData& history, Chart& chart) {
  std::size_t others = 0;
  std::vector<Chart::Mark>& marks = chart.marks;
  for (auto event = history.events.rbegin(); event != history.events.rend(); ++event) {
    if (!(event->examples >= chart.x_min && event->examples <= chart.x_max)) continue;
    if (event->name == "phase" || ++others <= kMostMarks)
      marks.push_back({event->examples, event_text(*event)});
  }
  std::ranges::reverse(marks);
}

std::string looked_at(const HistoryData& history) {
  const auto& revealed = history.column("attributes_revealed");
  const auto& there = history.column("attributes_there");
  if (revealed.empty() || there.empty() || !(there.back() > 0)) return {};
  return fmt::format("; looked at {} of {} attributes ({} %)", readable_number(revealed.back()),
                     readable_number(there.back()), readable_percent(100 * revealed.back() / there.back()));
}

}  // namespace

Result<HistoryData> ask_history(const HttpClient& client, std::uint64_t since, std::string_view label) {
  std::string target = fmt::format("/v1/history?since={}", since);
  if (!label.empty()) target += "&label=" + as_query_value(label);
  std::string columns = "&columns=examples,attributes_revealed,attributes_there,rate";
  for (const Kind& kind : kKinds)
    for (const Line& line : kind.lines) {
      if (line.column == nullptr) continue;
      columns += fmt::format(",{}", line.column);
      if (line.has_band) columns += fmt::format(",{}_error", line.column);
    }
  auto body = client.get(target + columns);
  if (!body && body.error().message.find("columns has") != std::string::npos) body = client.get(target);
  if (!body) return body.error();
  return read_history(*body);
}

Result<std::string> history_picture(const HistoryData& history, std::string_view of) {
  const auto& examples = history.column("examples");
  if (examples.empty())
    return failure(ErrorCode::kInvalidInput,
                   "there is nothing to draw: nothing was learned yet, or the daemon keeps no history "
                   "(--history)");
  const Kind* const kind = find_kind(history, of);
  if (kind == nullptr || !is_known(history.column(kind->lines[0].column)))
    return failure(ErrorCode::kInvalidInput, "there is nothing to draw of '{}' after {} example{}{}", of,
                   examples.back(), examples.back() == 1 ? "" : "s",
                   of == "wrong" ? ": it is of classes, and of examples held out (--hold-out of glimpsed)"
                   : kind != nullptr && !history.columns.contains(kind->lines[0].column)
                       ? ": an older glimpsed does not report it: upgrade it"
                       : "");
  Chart chart;
  chart.title =
      history.label.empty() ? kind->title : fmt::format("{}: {}", printable(history.label), kind->title);
  chart.y_label = kind->y_label;
  chart.x_label = "examples learned from" + looked_at(history);
  chart.has_log_x = true;
  chart.x_min = examples.front();
  chart.x_max = std::max(examples.back(), 10 * examples.front());
  for (const Line& line : kind->lines)
    if (line.column != nullptr && is_known(history.column(line.column)))
      chart.series.push_back(series_of(history, line));
  set_heights(chart, kind->of == std::string_view("r2"));
  add_marks(history, chart);
  return draw(chart);
}

}  // namespace glimpse::ctl
