#include "report/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

#include "report/table.h"
#include "report/units.h"

namespace glimpse {
namespace {

constexpr double kPlotHeight = 300;  // pixels
constexpr double kLeft = 74;
constexpr double kBarHeight = 18;
constexpr std::size_t kNameColumns = 72;  // of a bar's name; it is cut beyond
constexpr double kRight = 24;
constexpr double kTop = 58;     // for title and legend
constexpr double kBelow = 52;   // for the axis
constexpr double kNames = 100;  // for names under the axis
constexpr double kLetter = 6.6;
constexpr double kMarkLine = 14;  // between the names of marks
constexpr std::size_t kColours = 4;

// Okabe & Ito, which people tell apart whatever their eyes; lighter ones on dark.
constexpr const char* kStyle = R"(<style>
svg{color:#1b1b1b;font:12px sans-serif}.paper{fill:#fff}
text{fill:currentColor}.title{font-size:14px}.small{font-size:11px}
.grid{stroke:currentColor;stroke-opacity:.15}.axis{stroke:currentColor;stroke-opacity:.6}
.mark{stroke:currentColor;stroke-opacity:.7;stroke-dasharray:2 3}
.halo{fill:none;stroke:#fff;stroke-width:4px;stroke-opacity:.8}
.c0{stroke:#0072b2;fill:#0072b2}.c1{stroke:#d55e00;fill:#d55e00;stroke-dasharray:7 3}
.c2{stroke:#009e73;fill:#009e73;stroke-dasharray:2 2}.c3{stroke:#cc79a7;fill:#cc79a7;stroke-dasharray:9 3 2 3}
@media (prefers-color-scheme:dark){
svg{color:#e4e6e8}.paper{fill:#16181b}.halo{stroke:#16181b}
.c0{stroke:#56b4e9;fill:#56b4e9}.c1{stroke:#f0a35e;fill:#f0a35e}
.c2{stroke:#3fd0a4;fill:#3fd0a4}.c3{stroke:#e6a5c8;fill:#e6a5c8}}
.line{fill:none;stroke-width:2}.band{stroke:none;fill-opacity:.18}.bar{stroke-dasharray:none}
.dot{stroke:none;fill-opacity:.45}
</style>
)";

// What a line of small text may be wide: letters differ, and capitals are wide.
double width_of(std::string_view text) {
  const auto wide =
      std::ranges::count_if(text, [](char c) { return (c >= 'A' && c <= 'Z') || c == 'm' || c == 'w'; });
  return kLetter * (static_cast<double>(display_width(text)) + 0.4 * static_cast<double>(wide));
}

class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart) {
    if (chart.bars.empty()) return;
    height_ = kBarHeight * static_cast<double>(chart.bars.size());
    double longest = 0;
    for (const Chart::Bar& bar : chart.bars)
      longest = std::max(longest, width_of(clipped(bar.name, kNameColumns)));
    begin_ = std::max(kLeft, longest + 20);
  }

  double width() const { return kLeft + chart_.width + kRight; }
  double height() const {
    const bool has_names = std::ranges::any_of(chart_.ticks, [](const auto& t) { return !t.below.empty(); });
    return kTop + height_ + kBelow + (has_names ? kNames : 0);
  }

  /// `number`: of the chart in its picture, in which it begins at `top`.
  std::string text(std::size_t number, double top) {
    put("<g transform=\"translate(0,{:.0f})\">\n", top);
    put("<clipPath id=\"plot{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n", number,
        begin_, kTop, end() - begin_, height_);
    put("<text class=\"title\" x=\"{}\" y=\"20\">{}</text>\n", kLeft, escaped(chart_.title));
    draw_axes();
    put("<g clip-path=\"url(#plot{})\">\n", number);
    for (std::size_t k = 0; k < chart_.series.size(); ++k) draw_series(chart_.series[k], k % kColours);
    svg_ += "</g>\n";
    draw_bars();
    draw_marks();
    draw_legend();
    return svg_ + "</g>\n";
  }

 private:
  template <class... Values>
  void put(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(svg_), form, std::forward<Values>(values)...);
  }

  double x(double value) const {
    const auto on = [&](double v) { return chart_.has_log_x ? std::log(v) : v; };
    const double span = on(chart_.x_max) - on(chart_.x_min);
    return begin_ + (end() - begin_) * (span > 0 ? (on(value) - on(chart_.x_min)) / span : 0.5);
  }
  double end() const { return kLeft + chart_.width; }
  // What is far beyond the axis is as good as just beyond it.
  double y(double value) const {
    const double span = chart_.y_max - chart_.y_min;
    const double share = span > 0 ? (value - chart_.y_min) / span : 0.5;
    return kTop + height_ * (1 - std::clamp(share, -1.0, 2.0));
  }

  void draw_axes() {
    for (const double tick :
         chart_.bars.empty() ? round_ticks(chart_.y_min, chart_.y_max, 7) : std::vector<double>()) {
      put("<line class=\"grid\" x1=\"{0}\" x2=\"{1:.0f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>\n", kLeft,
          kLeft + chart_.width, y(tick));
      put("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.4g}</text>\n", kLeft - 8, y(tick) + 4,
          tick == 0 ? 0.0 : tick);
    }
    put("<line class=\"axis\" x1=\"{0}\" x2=\"{1:.0f}\" y1=\"{2}\" y2=\"{2}\"/>\n", begin_, end(),
        kTop + height_);
    chart_.ticks.empty() ? draw_numbers() : draw_ticks();
    put("<text x=\"{:.0f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", (begin_ + end()) / 2,
        kTop + height_ + 40, chart_.ticks.empty() ? escaped(chart_.x_label) : std::string());
    put("<text transform=\"translate(16,{:.0f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
        kTop + height_ / 2, escaped(chart_.y_label));
  }

  void draw_number(double value) {
    put("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>\n", x(value), kTop,
        kTop + height_);
    put("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x(value), kTop + height_ + 18,
        (value < 0 ? "−" : "") + compact_number(std::abs(value)));
  }

  void draw_numbers() {
    if (!chart_.has_log_x) {
      for (const double tick : round_ticks(chart_.x_min, chart_.x_max, 8)) draw_number(tick);
      return;
    }
    for (double tick = std::pow(10, std::ceil(std::log10(chart_.x_min) - 1e-9)); tick <= chart_.x_max;
         tick *= 10)
      draw_number(tick);
  }

  void draw_ticks() {
    for (const Chart::Tick& tick : chart_.ticks) {
      put("<text class=\"small\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x(tick.x),
          kTop + height_ + 16, escaped(tick.text));
      if (!tick.below.empty())
        put("<text class=\"small\" transform=\"translate({:.1f},{}) rotate(60)\">{}</text>\n", x(tick.x) - 4,
            kTop + height_ + 30, escaped(tick.below));
    }
  }

  // Names stand one below the other where marks are close, and left of their line where there is no room on
  // the right. One for which there is no line left is left out.
  void draw_marks() {
    std::array<double, 5> ends{};  // of the names in each line
    for (const Chart::Mark& mark : chart_.marks) {
      const double at = x(mark.x);
      const double width = 8 + kLetter * static_cast<double>(display_width(mark.name));
      const double begin = at + width > kLeft + chart_.width ? at - width : at;
      put("<line class=\"mark\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>\n", at, kTop,
          kTop + height_);
      const auto end = std::ranges::find_if(ends, [&](double taken) { return taken <= begin; });
      if (end == ends.end()) continue;
      *end = begin + width;
      const double y = kTop + kMarkLine * (1 + static_cast<double>(end - ends.begin()));
      for (const char* const of : {"small halo", "small"})  // readable on top of a line as well
        put("<text class=\"{}\" x=\"{:.1f}\" y=\"{}\">{}</text>\n", of, begin + 4, y, escaped(mark.name));
    }
  }

  void draw_series(const Chart::Series& series, std::size_t colour) {
    const auto& points = series.points;
    // Where the line is beyond the axis, its band would stand there alone.
    const auto has_error = [&](const Chart::Point& p) {
      return p.y >= chart_.y_min && p.y <= chart_.y_max && std::isfinite(p.low) && std::isfinite(p.high);
    };
    // A band, and a line, for each run of points that have it.
    if (!series.has_dots)
      for_runs(points, has_error, [&](std::size_t begin, std::size_t end) {
        put("<polygon class=\"band c{}\" points=\"", colour);
        for (std::size_t i = begin; i < end; ++i) put("{:.1f},{:.1f} ", x(points[i].x), y(points[i].high));
        for (std::size_t i = end; i-- > begin;) put("{:.1f},{:.1f} ", x(points[i].x), y(points[i].low));
        svg_ += "\"/>\n";
      });
    const auto is_there = [](const Chart::Point& p) { return std::isfinite(p.y); };
    if (series.has_line)
      for_runs(points, is_there, [&](std::size_t begin, std::size_t end) {
        put("<polyline class=\"line c{}\" points=\"", colour);
        for (std::size_t i = begin; i < end; ++i) put("{:.1f},{:.1f} ", x(points[i].x), y(points[i].y));
        svg_ += "\"/>\n";
      });
    if (!series.has_dots) return;
    for (const Chart::Point& p : points) {
      if (has_error(p))
        put("<line class=\"bar c{0}\" x1=\"{1:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{3:.1f}\"/>\n",
            colour, x(p.x), y(p.low), y(p.high));
      if (is_there(p))
        put("<circle class=\"{} c{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>\n",
            series.has_line ? "bar" : "dot", colour, x(p.x), y(p.y), series.has_line ? 3 : 2);
    }
  }

  void draw_bars() {
    double middle = kTop - kBarHeight / 2;
    for (const Chart::Bar& bar : chart_.bars) {
      middle += kBarHeight;
      put("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", begin_ - 8, middle + 4,
          escaped(clipped(bar.name, kNameColumns)));
      if (!std::isfinite(bar.value)) continue;
      const auto at = [&](double value) { return x(std::clamp(value, chart_.x_min, chart_.x_max)); };
      put("<rect class=\"dot c{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\"/>\n",
          bar.series % kColours, begin_, middle - 6, at(bar.value) - begin_, 12);
      if (std::isfinite(bar.low) && std::isfinite(bar.high))
        put("<line class=\"axis\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>\n",
            at(bar.low), at(bar.high), middle);
    }
  }

  template <class Is, class Do>
  static void for_runs(const std::vector<Chart::Point>& points, Is is, Do run) {
    for (std::size_t begin = 0; begin < points.size();) {
      std::size_t end = begin;
      while (end < points.size() && is(points[end])) ++end;
      if (end > begin) run(begin, end);
      begin = end + 1;
    }
  }

  void draw_legend() {
    double at = kLeft;
    for (std::size_t k = 0; k < chart_.series.size(); ++k) {
      const std::string& name = chart_.series[k].name;
      if (name.empty()) continue;
      put("<line class=\"line c{}\" x1=\"{:.0f}\" x2=\"{:.0f}\" y1=\"38\" y2=\"38\"/>\n", k % kColours, at,
          at + 28);
      put("<text x=\"{:.0f}\" y=\"42\">{}</text>\n", at + 34, escaped(name));
      at += 56 + kLetter * static_cast<double>(display_width(name));
    }
  }

  const Chart& chart_;
  double begin_ = kLeft;         // of the x axis
  double height_ = kPlotHeight;  // of the plot
  std::string svg_;
};

}  // namespace

std::string draw(std::span<const Chart> charts) {
  std::string text;
  double width = 0;
  double height = 0;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    Drawing drawing(charts[i]);
    text += drawing.text(i, height);
    width = std::max(width, drawing.width());
    height += drawing.height();
  }
  return fmt::format(
             R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} )"
             "{1:.0f}\" role=\"img\">\n<title>{2}</title>\n",
             width, height, charts.empty() ? "" : escaped(charts.front().title)) +
         kStyle + "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n" + text + "</svg>\n";
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else
      result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result;
}

std::vector<double> round_ticks(double low, double high, int most) {
  std::vector<double> ticks;
  if (!(high > low) || !std::isfinite(high - low)) return ticks;
  const double least = (high - low) / std::max(most - 1, 1);
  double step = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (step * factor >= least * (1 - 1e-9)) {
      step *= factor;
      break;
    }
  const double slack = step * 1e-9;
  const auto room = static_cast<std::size_t>(most) + 1;  // also where a step is lost beside the numbers
  for (double k = std::ceil((low - slack) / step); k * step <= high + slack && ticks.size() < room; ++k)
    ticks.push_back(k * step);
  return ticks;
}

}  // namespace glimpse
