#include "lab/results/attributes_needed.h"

#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace glimpse {

std::optional<double> attributes_needed(const SummaryCurve& curve, double loss) {
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const SummaryPoint& now = curve.points[i];
    if (!(now.mean <= loss)) continue;
    if (i == 0) return now.attributes;
    const SummaryPoint& before = curve.points[i - 1];
    const double share = (before.mean - loss) / (before.mean - now.mean);
    return before.attributes * std::pow(now.attributes / before.attributes, share);
  }
  return std::nullopt;
}

std::string attributes_table(const std::vector<SummaryCurve>& curves) {
  std::string text = "rival,attributes,loss,attributes_needed,ratio,loss_at_the_end\n";
  for (std::size_t c = 1; c < curves.size(); ++c) {
    const SummaryPoint& end = curves[c].points.back();
    fmt::format_to(std::back_inserter(text), "{},{:.0f},{:.4f},", curves[c].label, end.attributes, end.mean);
    if (const auto needed = attributes_needed(curves[0], end.mean))
      fmt::format_to(std::back_inserter(text), "{:.0f},{:.4f},", *needed, *needed / end.attributes);
    else
      text += ",,";
    fmt::format_to(std::back_inserter(text), "{:.4f}\n", curves[0].points.back().mean);
  }
  return text;
}

}  // namespace glimpse
