#include "lab/results/plot.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace glimpse {

namespace {

// Text inside gnuplot's double quotes.
std::string in_quotes(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

// The colours of Okabe & Ito, which people tell apart whatever their eyes, and black.
constexpr const char* kColours[] = {"#D55E00", "#0072B2", "#009E73", "#CC79A7", "#000000",
                                    "#E69F00", "#56B4E9", "#7F7F7F", "#8B5A2B"};

}  // namespace

std::string plot_script(const std::vector<SummaryCurve>& curves, const PlotAxes& axes,
                        const std::string& output) {
  std::string script;
  const auto out = std::back_inserter(script);
  for (std::size_t c = 0; c < curves.size(); ++c) {
    fmt::format_to(out, "$curve{} << END\n", c);
    for (const SummaryPoint& p : curves[c].points)
      fmt::format_to(out, "{} {} {}\n",
                     axes.against_examples ? static_cast<double>(p.examples) : p.attributes, p.mean,
                     p.deviation);
    script += "END\n";
  }
  fmt::format_to(
      out,
      "set title {} noenhanced\nset xlabel {}\nset ylabel \"test loss / loss of the zero predictor\"\n"
      "set yrange [0:*<1.3]\nset key outside right top noenhanced\nset grid\nset format x \"%.0s%c\"\n{}",
      in_quotes(axes.title), in_quotes(axes.x_label), axes.logarithmic ? "set logscale x\n" : "");
  std::string plot = "plot ";
  for (std::size_t c = 0; c < curves.size(); ++c)
    plot += fmt::format("{}$curve{} using 1:2:3 with yerrorlines lc rgb '{}' pt {} ps 0.5 lw 1.4 title {}",
                        c == 0 ? "" : ", ", c, kColours[c % std::size(kColours)], c % 13 + 1,
                        in_quotes(curves[c].label));
  for (const char* terminal : {"svg size 900,540 dynamic background \"white\"", "pngcairo size 1350,810"})
    fmt::format_to(out, "set terminal {}\nset output {}\n{}\n", terminal,
                   in_quotes(output + (std::string_view(terminal).starts_with("svg") ? ".svg" : ".png")),
                   plot);
  return script;
}

Status run_gnuplot(const std::string& path) {
  std::string program = "gnuplot";
  std::string script = path;
  char* arguments[] = {program.data(), script.data(), nullptr};
  pid_t child = 0;
  if (const int error = posix_spawnp(&child, "gnuplot", nullptr, nullptr, arguments, environ); error != 0)
    return failure(ErrorCode::kUnavailable, "cannot run gnuplot (package gnuplot-nox) on '{}': {}", path,
                   std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return failure(ErrorCode::kUnavailable, "gnuplot failed on '{}'", path);
}

}  // namespace glimpse
