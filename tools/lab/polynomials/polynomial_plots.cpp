#include "lab/polynomials/polynomial_plots.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>

namespace glimpse {

namespace {

struct Colour {
  std::string_view method;
  const char* colour;
};

// After Okabe & Ito, which people tell apart whatever their eyes; apple's from pale to full with α.
constexpr Colour kColours[] = {
    {"lin", "#000000"},         {"quad", "#E69F00"},       {"cubic", "#D55E00"},
    {"apple-0.125", "#A6D8F0"}, {"apple-0.25", "#56B4E9"}, {"apple-0.5", "#2A8CCB"},
    {"apple-0.75", "#0072B2"},  {"apple-1", "#00456B"},    {"apple-best", "#009E73"},
    {"ssm-1", "#CC79A7"},       {"ssm-best", "#F0A8D0"}};

const char* colour_of(std::string_view method) {
  const auto* const found = std::ranges::find(kColours, method, &Colour::method);
  return found != std::end(kColours) ? found->colour : "#7F7F7F";
}

constexpr std::size_t kBarHeight = 300;  // in pixels, of one row of bars
constexpr std::size_t kSetsInRow = 9;

std::optional<double> value_of(const PolynomialSummary& set, const std::string& method, BarValue value) {
  if (value == BarValue::kRelativeError) return set.relative_error(method);
  if (value == BarValue::kRelativeTime) return set.relative_time(method);
  const PolynomialMeans* means = set.find(method);
  return means != nullptr ? std::optional(means->features) : std::nullopt;
}

const char* plot_label(BarValue value) {
  if (value == BarValue::kRelativeError) return "relative error";
  return value == BarValue::kRelativeTime ? "training time over that of lin" : "features an example";
}

const char* axis_of(BarValue value) {
  return value == BarValue::kRelativeError ? "unset logscale y\nset yrange [-1:2]\n"
                                           : "set logscale y\nset yrange [*:*]\n";
}

void draw(std::string& script, const std::string& plots, const std::string& output, std::size_t width,
          std::size_t height) {
  const auto out = std::back_inserter(script);
  for (const bool is_svg : {true, false}) {
    if (is_svg)
      fmt::format_to(out, "set terminal svg size {},{} dynamic background \"white\"\n", width, height);
    else
      fmt::format_to(out, "set terminal pngcairo size {},{}\n", width * 3 / 2, height * 3 / 2);
    fmt::format_to(out, "set output \"{}.{}\"\n{}", output, is_svg ? "svg" : "png", plots);
  }
}

}  // namespace

std::string tradeoff_script(std::span<const PolynomialSummary> sets, std::span<const std::string> methods,
                            const std::string& output) {
  std::string script;
  const auto out = std::back_inserter(script);
  std::string plot = "plot ";
  for (std::size_t m = 0; m < methods.size(); ++m) {
    std::vector<double> errors;
    std::vector<double> times;
    for (const PolynomialSummary& set : sets) {
      const auto error = set.relative_error(methods[m]);
      const auto time = set.relative_time(methods[m]);
      if (!error || !time) continue;
      errors.push_back(*error);
      times.push_back(*time);
    }
    if (errors.empty()) continue;
    fmt::format_to(out, "$method{} << END\n{} {} {} {} {} {}\nEND\n", m, quantile(errors, 0.5),
                   quantile(times, 0.5), quantile(errors, 0.25), quantile(errors, 0.75),
                   quantile(times, 0.25), quantile(times, 0.75));
    fmt::format_to(std::back_inserter(plot),
                   "{}$method{} using 1:2:3:4:5:6 with xyerrorbars lw 2 pt {} ps 1.2 lc rgb '{}' title '{}'",
                   plot.size() > 5 ? ", " : "", m, m + 4, colour_of(methods[m]), methods[m]);
  }
  script +=
      "set xlabel 'relative error: 0 the best of lin, quad and cubic, 1 the worst'\n"
      "set ylabel 'training time over that of lin'\nset logscale y\nset grid\n"
      "set key outside right top noenhanced\n";
  draw(script, plot + "\n", output, 760, 480);
  return script;
}

std::string distribution_script(std::span<const PolynomialSummary> sets, std::span<const std::string> methods,
                                const std::string& output) {
  std::string script;
  std::string plots = "set multiplot layout 1,2\n";
  for (const BarValue value : {BarValue::kRelativeError, BarValue::kRelativeTime}) {
    const bool is_error = value == BarValue::kRelativeError;
    std::string plot;
    for (std::size_t m = 0; m < methods.size(); ++m) {
      std::vector<double> values;
      for (const PolynomialSummary& set : sets)
        if (const auto one = value_of(set, methods[m], value)) values.push_back(*one);
      std::ranges::sort(values);
      fmt::format_to(std::back_inserter(script), "${}{} << END\n", is_error ? "error" : "time", m);
      for (std::size_t i = 0; i < values.size(); ++i)
        fmt::format_to(std::back_inserter(script), "{} {}\n", values[i], i + 1);
      script += "END\n";
      if (values.empty()) continue;
      fmt::format_to(std::back_inserter(plot), "{}${}{} using 1:2 with steps lw 2 lc rgb '{}' title '{}'",
                     plot.empty() ? "plot " : ", ", is_error ? "error" : "time", m, colour_of(methods[m]),
                     methods[m]);
    }
    fmt::format_to(
        std::back_inserter(plots),
        "set xlabel '{}'\nset ylabel 'sets with at most so much'\n{}set key right bottom noenhanced\n"
        "set grid\nset yrange [0:{}]\n{}\n",
        plot_label(value), is_error ? "set xrange [-1:2]\n" : "set logscale x\nset xrange [*:*]\n",
        sets.size() + 1, plot);
  }
  plots += "unset multiplot\nunset logscale\n";
  draw(script, plots, output, 1000, 440);
  return script;
}

std::string bars_script(std::span<const PolynomialSummary> sets, std::span<const std::string> methods,
                        std::span<const BarValue> values, const std::string& output) {
  std::string script;
  std::string plots;
  const std::size_t rows_each = (sets.size() + kSetsInRow - 1) / kSetsInRow;
  const std::size_t in_row = rows_each == 0 ? 0 : (sets.size() + rows_each - 1) / rows_each;
  for (std::size_t v = 0; v < values.size(); ++v) {
    for (std::size_t r = 0; r < rows_each; ++r) {
      const auto part = sets.subspan(r * in_row, std::min(in_row, sets.size() - r * in_row));
      const std::string block = fmt::format("$bars{}_{}", v, r);
      script += block + " << END\n";
      for (const PolynomialSummary& set : part) {
        script += fmt::format("\"{}\"", set.set);
        for (const std::string& method : methods) {
          const auto value = value_of(set, method, values[v]);
          script += value ? fmt::format(" {}", *value) : " ?";
        }
        script += '\n';
      }
      script += "END\n";
      std::string plot;
      for (std::size_t m = 0; m < methods.size(); ++m)
        fmt::format_to(std::back_inserter(plot), "{}{} using {}{} lc rgb '{}' title '{}'",
                       m == 0 ? "plot " : ", ", block, m + 2, m == 0 ? ":xtic(1)" : "", colour_of(methods[m]),
                       methods[m]);
      fmt::format_to(std::back_inserter(plots), "set ylabel '{}'\n{}{}\n", plot_label(values[v]),
                     axis_of(values[v]), plot);
    }
  }
  const std::size_t rows = rows_each * values.size();
  script +=
      "set style data histogram\nset style histogram cluster gap 1\nset style fill solid 0.9\nset grid y\n"
      "set datafile missing '?'\nset xtics noenhanced\nset key outside right top noenhanced\n";
  draw(script, fmt::format("set multiplot layout {},1\n{}unset multiplot\n", rows, plots), output, 1100,
       kBarHeight * rows);
  return script;
}

}  // namespace glimpse
