#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glimpse {

/// What a picture shows: lines over one axis, with what they may be off by.
struct Chart {
  /// NaN in y: there is none, and the line is broken. NaN in low or high: no error is known.
  struct Point {
    double x;
    double y;
    double low;
    double high;
  };
  struct Series {
    std::string name;  ///< for the legend; empty: it is not in it
    std::vector<Point> points;
    bool has_dots = false;  ///< each point is a dot with a bar for its error; else errors are a band
    bool has_line = true;   ///< from point to point; else dots are small
  };
  /// A value of something with a name, and what it may be off by (NaN: not known).
  struct Bar {
    std::string name;
    double value;
    double low;
    double high;
    std::size_t series = 0;  ///< whose colour and name it has
  };
  /// Something that happened at one place of the axis.
  struct Mark {
    double x;
    std::string name;
  };
  /// In place of numbers under the axis.
  struct Tick {
    double x;
    std::string text;
    std::string below;  ///< written slantwise under it
  };

  std::string title;
  std::string x_label;
  std::string y_label;
  bool has_log_x = false;  ///< every x is above 0 then
  double x_min = 0;
  double x_max = 1;
  double y_min = 0;  ///< what lies beyond is cut off
  double y_max = 1;
  double width = 640;  ///< of the plot itself; pixels
  std::vector<Series> series;
  std::vector<Bar> bars;  ///< each with its name in front, one below the other; there is no y axis then
  std::vector<Mark> marks;
  std::vector<Tick> ticks;
};

/// Charts as SVG, one below the other, light or dark as the viewer is set; series differ by colour and by
/// dashes. Pure.
std::string draw(std::span<const Chart> charts);
inline std::string draw(const Chart& chart) { return draw({&chart, 1}); }

/// Text for XML: what would be markup is written out, control characters become blanks.
std::string escaped(std::string_view text);

/// Multiples of 1, 2 or 5 times a power of ten from `low` to `high`, at most `most` ≥ 2 of them.
std::vector<double> round_ticks(double low, double high, int most);

}  // namespace glimpse
