#include "report/chart.h"

#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <vector>

namespace chart_test {

using namespace glimpse;

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++found;
  return found;
}

Chart some() {
  const double nan = std::nan("");
  Chart chart;
  chart.title = "R² & more";
  chart.x_label = "examples";
  chart.y_label = "share";
  chart.has_log_x = true;
  chart.x_min = 1;
  chart.x_max = 100'000;
  chart.series.push_back({"recent", {{1, nan, nan, nan}, {10, 0.25, nan, nan}, {100, 0.5, 0.25, 0.75}}});
  chart.series.push_back({"held out", {{1, 0.5, nan, nan}, {10, nan, nan, nan}, {100, 0.5, nan, nan}}});
  chart.marks.push_back({32, "phase <2>"});
  return chart;
}

TEST_CASE("a log axis has its powers of ten, the other round numbers") {
  const std::string svg = draw(some());
  for (const char* tick : {">1<", ">10<", ">100<", ">1k<", ">10k<", ">100k<", ">0.2<", ">0.8<", ">1<"})
    CHECK(svg.find(tick) != std::string::npos);
}

TEST_CASE("a line is broken where there is no number, and has a band where its error is known") {
  const std::string svg = draw(some());
  CHECK(count(svg, "<polyline class=\"line c0\"") == 1);
  CHECK(count(svg, "<polyline class=\"line c1\"") == 2);
  CHECK(count(svg, "<polygon class=\"band c0\"") == 1);
  CHECK(count(svg, "<polygon class=\"band c1\"") == 0);
  // 10 is a fifth of the way to 100,000; .25 a quarter of the height.
  CHECK(svg.find("points=\"202.0,283.0 330.0,208.0 \"") != std::string::npos);
}

TEST_CASE("where a line is beyond the axis, nothing of its band is drawn") {
  Chart chart = some();
  auto& points = chart.series[0].points;
  points = {{1, 1.5, 0.5, 2.5},
            {10, 1.5, 0.5, 2.5},
            {100, 0.5, 0.25, 0.75},
            {1000, 0.5, 0.25, 0.75},
            {10'000, -1, -3, 1}};
  for (const bool has_dots : {false, true}) {
    chart.series[0].has_dots = has_dots;
    const std::string svg = draw(chart);
    CHECK(count(svg, "<polygon class=\"band c0\"") == (has_dots ? 0 : 1));
    CHECK(count(svg, "<line class=\"bar c0\"") == (has_dots ? 2 : 0));
    if (!has_dots)
      CHECK(svg.find("points=\"330.0,133.0 458.0,133.0 458.0,283.0 330.0,283.0 \"") != std::string::npos);
  }
}

TEST_CASE("text is no markup, marks and lines are named") {
  const std::string svg = draw(some());
  CHECK(svg.find("<title>R² &amp; more</title>") != std::string::npos);
  CHECK(svg.find(">phase &lt;2&gt;</text>") != std::string::npos);
  CHECK(count(svg, ">recent</text>") == 1);
  CHECK(count(svg, ">held out</text>") == 1);
  CHECK(escaped("a\x01"
                "b") == "a b");
}

TEST_CASE("names of marks that are close stand in lines of their own, and are left out beyond the last") {
  Chart chart = some();
  chart.marks.clear();
  for (int k = 0; k < 8; ++k) chart.marks.push_back({1000.0 + k, "change noticed"});
  const std::string svg = draw(chart);
  CHECK(count(svg, "class=\"mark\"") == 8);
  CHECK(count(svg, "class=\"small\"") == 5);
  for (const char* y : {"y=\"72\"", "y=\"86\"", "y=\"128\""}) CHECK(svg.find(y) != std::string::npos);
}

TEST_CASE("bars have names in front, a colour of their series, and their errors") {
  Chart chart;
  chart.x_max = 2;
  chart.series = {{"up", {}}, {"down", {}}};
  chart.bars = {{"first <1>", 2, 1.5, 2.5, 0},
                {std::string(200, 'W'), 1, std::nan(""), std::nan(""), 1},
                {"last", std::nan(""), 0, 0, 0}};
  const std::string svg = draw(chart);
  CHECK(svg.find(">first &lt;1&gt;</text>") != std::string::npos);
  CHECK(count(svg, "<rect class=\"dot c0\"") == 1);
  CHECK(count(svg, "<rect class=\"dot c1\"") == 1);
  CHECK(count(svg, "<line class=\"axis\"") == 2);  // the axis itself, and one error
  CHECK(svg.find(std::string(71, 'W') + "…</text>") != std::string::npos);
  CHECK(svg.find("x=\"-") == std::string::npos);
  CHECK(svg.find("width=\"-") == std::string::npos);
}

TEST_CASE("charts stand one below the other, each cut off at its own plot") {
  Chart dots = some();
  dots.series = {{"", {{1, 0.5, 0, 1}, {10, 0.5, 0, 1}}, true, false}};
  const std::string svg = draw(std::vector{some(), dots});
  CHECK(svg.find("height=\"820\"") != std::string::npos);
  CHECK(count(svg, "<rect class=\"paper\"") == 1);
  CHECK(count(svg, "translate(0,410)") == 1);
  CHECK(count(svg, "url(#plot0)") == 1);
  CHECK(count(svg, "url(#plot1)") == 1);
  CHECK(count(svg, "<circle class=\"dot c0\"") == 2);
  CHECK(count(svg, "<polyline class=\"line c0\"") == 1);  // of the other chart
}

TEST_CASE("it is light or dark as the viewer is set") {
  CHECK(draw(some()).find("@media (prefers-color-scheme:dark)") != std::string::npos);
}

TEST_CASE("what is far beyond an axis, or on an axis of no length, has a place all the same") {
  Chart chart = some();
  chart.series[0].points[1].y = 1e300;
  chart.y_max = chart.y_min;
  chart.x_max = chart.x_min;
  const std::string svg = draw(chart);
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.find("inf") == std::string::npos);
}

TEST_CASE("ticks are round, and at most as many as there is room for") {
  CHECK(round_ticks(0, 1, 6) == std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1});
  CHECK(round_ticks(-30, 120, 5) == std::vector<double>{0, 50, 100});
  CHECK(round_ticks(1, 1, 5).empty());
  CHECK(round_ticks(1e20, 1e20 + 16384, 5).size() <= 6);
  CHECK(round_ticks(0, 5e-324, 5).size() <= 6);
  CHECK(round_ticks(0, std::nan(""), 5).empty());
}

}  // namespace chart_test
