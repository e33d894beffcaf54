#include "glimpsectl/reports/small_model_picture.h"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <iterator>
#include <stdexcept>
#include <vector>

#include <boost/json.hpp>

namespace glimpse::ctl {
namespace {

namespace json = boost::json;

constexpr double kHeight = 300;  // of the plot; pixels
constexpr double kStep = 36;     // between two numbers of attributes
constexpr double kLeft = 70;
constexpr double kTop = 40;
constexpr double kBelow = 140;  // for names

struct Point {
  double loss;
  double error;
  std::string name;  // of what was added
};

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

std::string draw(const std::vector<Point>& points) {
  double most = 0;
  for (const Point& p : points) most = std::max(most, p.loss + p.error);
  if (!(most > 0)) most = 1;
  const auto x = [](std::size_t i) { return kLeft + kStep * (static_cast<double>(i) + 0.5); };
  const auto y = [&](double loss) { return kTop + kHeight * (1 - std::clamp(loss / most, 0.0, 1.0)); };
  const double width = kLeft + kStep * static_cast<double>(points.size()) + 20;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n"
      "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"white\"/>\n"
      "<text x=\"{2}\" y=\"22\" font-size=\"13\">expected loss by number of attributes</text>\n",
      width, kTop + kHeight + kBelow, kLeft);
  const auto out = std::back_inserter(svg);
  for (int tick = 0; tick <= 4; ++tick) {
    const double loss = most * tick / 4;
    fmt::format_to(out,
                   "<line x1=\"{0}\" x2=\"{1:.0f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#ddd\"/>\n"
                   "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:.4g}</text>\n",
                   kLeft, width - 20, y(loss), kLeft - 6, y(loss) + 4, loss);
  }
  svg += "<polyline fill=\"none\" stroke=\"#1f5fa8\" stroke-width=\"2\" points=\"";
  for (std::size_t i = 0; i < points.size(); ++i)
    fmt::format_to(out, "{:.1f},{:.1f} ", x(i), y(points[i].loss));
  svg += "\"/>\n";
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& p = points[i];
    fmt::format_to(out,
                   "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"#1f5fa8\"/>\n"
                   "<circle cx=\"{0:.1f}\" cy=\"{3:.1f}\" r=\"3\" fill=\"#1f5fa8\"/>\n"
                   "<text x=\"{0:.1f}\" y=\"{4:.0f}\" text-anchor=\"middle\">{5}</text>\n"
                   "<text transform=\"translate({6:.1f},{7:.0f}) rotate(60)\">{8}</text>\n",
                   x(i), y(p.loss - p.error), y(p.loss + p.error), y(p.loss), kTop + kHeight + 16, i,
                   x(i) - 4, kTop + kHeight + 30, escaped(p.name));
  }
  return svg + "</svg>\n";
}

}  // namespace

Result<std::string> small_model_picture(std::string_view body) {
  try {
    return draw(read_curve(body));
  } catch (const std::exception& error) {
    return failure(ErrorCode::kCorrupt, "is no small model: {}", error.what());
  }
}

}  // namespace glimpse::ctl
