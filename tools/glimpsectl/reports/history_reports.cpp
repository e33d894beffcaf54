#include "glimpsectl/reports/history_reports.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <stdexcept>
#include <vector>

#include <boost/json.hpp>

#include "glimpsectl/input/console.h"
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

Result<Chart> history_chart(const HistoryData& history, std::string_view of) {
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
  chart.title = history.label.empty()
                    ? kind->title
                    : fmt::format("{}: {}", clipped(printable(history.label), 30), kind->title);
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
  return chart;
}

namespace {

constexpr std::size_t kRoom = 79;
constexpr std::size_t kAxisColumns = 52;  // of the axis, where there is room for it
constexpr std::size_t kLeastAxis = 10;    // with fewer it shows nothing
constexpr std::size_t kLabel = 7;
constexpr std::string_view kUnit = "examples";
constexpr std::size_t kEventsTold = 3;
constexpr double kLeastR2 = -0.5;

constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr const char* kLetters[] = {".", ":", "-", "=", "+", "*", "#", "@"};
constexpr int kLevels = 8;

class Axis {
 public:
  Axis(const std::vector<double>& examples, std::size_t columns)
      : first_(examples.front()), last_(examples.back()), columns_(columns) {}

  std::size_t columns() const { return columns_; }

  std::size_t column(double examples) const {
    const double share = std::log(examples / first_) / std::log(last_ / first_);
    return static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(columns_ - 1) + 0.5);
  }

  /// 1, 10, 100, … where there is room.
  std::string numbers() const {
    std::string line(columns_, ' ');
    std::size_t free = 0;
    for (double power = std::pow(10, std::ceil(std::log10(first_) - 1e-9)); power <= last_; power *= 10) {
      const std::string text = compact_number(power);
      const std::size_t at = column(power);
      if (at < free || at + text.size() > line.size()) continue;
      line.replace(at, text.size(), text);
      free = at + text.size() + 1;
    }
    return line;
  }

 private:
  double first_;
  double last_;
  std::size_t columns_;
};

// In each column the newest value; where no sample fell the one before goes on.
std::vector<double> in_columns(const Axis& axis, const std::vector<double>& examples,
                               const std::vector<double>& values) {
  std::vector<double> line(axis.columns(), std::nan(""));
  std::size_t k = 0;
  double value = std::nan("");
  for (std::size_t c = 0; c < axis.columns(); ++c) {
    for (; k < values.size() && axis.column(examples[k]) <= c; ++k)
      if (std::isfinite(values[k])) value = values[k];
    line[c] = value;
  }
  return line;
}

std::string drawn(const std::vector<double>& line, double low, double high, bool has_utf8) {
  std::string text;
  for (const double value : line) {
    if (!std::isfinite(value)) {
      text += ' ';
      continue;
    }
    const double share = high > low ? std::clamp((value - low) / (high - low), 0.0, 1.0) : 0.5;
    const int level = std::min(static_cast<int>(share * kLevels), kLevels - 1);
    text += has_utf8 ? kBlocks[level] : kLetters[level];
  }
  return text;
}

class Lines {
 public:
  Lines(const HistoryData& history, bool has_utf8, std::size_t room)
      : history_(history), has_utf8_(has_utf8), room_(std::min(room, kRoom)) {}

  std::string text() {
    if (!add("R2", "recent_r2", kLeastR2)) add("loss", "recent_loss", 0);
    add("held R2", "held_out_recent_r2", kLeastR2);
    add("ex/s", "rate", 0);
    // Numbers say more than a drawing that is a few columns wide, and their errors less.
    std::size_t columns = axis_columns();
    if (columns < kLeastAxis) {
      for (Row& row : rows_) row.error.clear();
      columns = axis_columns();
    }
    if (columns < kLeastAxis) {
      for (const Row& row : rows_) line(row.label, "", 0, row.value);
      return text_;
    }
    const Axis axis(history_.column("examples"), columns);
    for (const Row& row : rows_) line(row.label, drawing(axis, row), columns, row.value + row.error);
    line("", axis.numbers(), columns, std::string(kUnit));
    add_events(axis);
    return text_;
  }

 private:
  struct Row {
    std::string label;
    std::vector<double> values;
    double least;  // of what is drawn
    std::string value;
    std::string error;
  };

  // What the longest value leaves.
  std::size_t axis_columns() const {
    std::size_t longest = kUnit.size();
    for (const Row& row : rows_) longest = std::max(longest, display_width(row.value + row.error));
    const std::size_t used = kLabel + 2 + longest;
    return std::min(kAxisColumns, room_ > used ? room_ - used : 0);
  }

  // One that has no room is left out.
  void line(const std::string& label, const std::string& drawn, std::size_t columns,
            const std::string& value) {
    std::string row = padded(label, kLabel, true) + ' ';
    if (columns > 0) row += padded(drawn, columns, true) + ' ';
    row += value;
    row.erase(row.find_last_not_of(' ') + 1);
    if (display_width(row) <= room_) text_ += row + '\n';
  }

  // False: nothing is known of it.
  bool add(const std::string& label, const std::string& column, double least) {
    const auto& errors = history_.column(column + "_error");
    std::vector<double> values = history_.column(column);
    for (std::size_t i = 0; i < std::min(values.size(), errors.size()); ++i)
      if (!std::isfinite(errors[i])) values[i] = std::nan("");  // of an example or two: it says nothing
    const auto known = std::ranges::find_if(values.rbegin(), values.rend(),
                                            [](double value) { return std::isfinite(value); });
    if (known == values.rend()) return false;
    const double error = errors.empty() ? std::nan("") : errors.back();
    std::string value = column == "rate" ? compact_number(*known) : fmt::format("{:.4g}", *known);
    std::string with = std::isfinite(error) ? fmt::format(" {} {:.2g}", has_utf8_ ? "±" : "+-", error) : "";
    rows_.push_back({label, std::move(values), least, std::move(value), std::move(with)});
    return true;
  }

  std::string drawing(const Axis& axis, const Row& row) const {
    const std::vector<double> columns = in_columns(axis, history_.column("examples"), row.values);
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const double value : columns)
      if (std::isfinite(value)) {
        low = std::min(low, std::max(value, row.least));
        high = std::max(high, value);
      }
    if (row.least == 0) low = 0;
    return drawn(columns, low, high, has_utf8_);
  }

  void add_events(const Axis& axis) {
    if (history_.events.empty()) return;
    std::string row(axis.columns(), ' ');
    for (const HistoryData::Event& event : history_.events)
      if (event.examples >= 1) row[axis.column(event.examples)] = '^';
    line("", row, axis.columns(), "");
    // The last of them, as many as there is room for.
    std::vector<std::string> told;
    const std::size_t most = std::min(kEventsTold, history_.events.size());
    for (std::size_t k = history_.events.size() - most; k < history_.events.size(); ++k)
      told.push_back(event_words(history_.events[k]));
    while (told.size() > 1 && kLabel + 1 + display_width(words_of(told)) > room_) told.erase(told.begin());
    line("", "", 0, words_of(told));
  }

  std::string words_of(const std::vector<std::string>& told) const {
    return fmt::format("{}{}", told.size() < history_.events.size() ? "... " : "", fmt::join(told, "; "));
  }

  // A name may be long, as labels are, and is cut off where it would not fit; where it happened is not.
  std::string event_words(const HistoryData::Event& event) const {
    const std::string where = " at " + readable_number(event.examples);
    const std::size_t used = kLabel + 1 + 4 + where.size();
    return clip(event_text(event), room_ > used + 2 ? room_ - used : 2) + where;
  }

  std::string clip(const std::string& words, std::size_t room) const {
    if (has_utf8_) return clipped(words, room);
    if (display_width(words) <= room) return words;
    constexpr std::string_view kSign = "…";
    std::string cut = clipped(words, room > 3 ? room - 2 : 1);  // not within a character: labels have any
    return cut.replace(cut.size() - kSign.size(), kSign.size(), "...");
  }

  const HistoryData& history_;
  const bool has_utf8_;
  const std::size_t room_;
  std::vector<Row> rows_;
  std::string text_;
};

}  // namespace

std::string history_lines(const HistoryData& history, bool has_utf8, std::size_t room) {
  if (history.column("examples").size() < 2) return {};
  return Lines(history, has_utf8, room).text();
}

}  // namespace glimpse::ctl
