#include "lab/results/summary.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace glimpse {

std::vector<SummaryCurve> summarise(const std::vector<ResultRow>& rows) {
  std::vector<SummaryCurve> curves;
  for (const ResultRow& row : rows) {
    auto curve = std::find_if(curves.begin(), curves.end(),
                              [&](const SummaryCurve& c) { return c.label == row.curve; });
    if (curve == curves.end()) curve = curves.insert(curves.end(), {row.curve, {}});
    auto& points = curve->points;
    auto point = std::find_if(points.begin(), points.end(),
                              [&](const SummaryPoint& p) { return p.examples >= row.examples; });
    if (point == points.end() || point->examples != row.examples) {
      point = points.insert(point, SummaryPoint{});
      point->examples = row.examples;
    }
    // Running means; `deviation` is the sum of squared distances until the end.
    ++point->runs;
    const auto n = static_cast<double>(point->runs);
    const double distance = row.test_loss_ratio - point->mean;
    point->mean += distance / n;
    point->deviation += distance * (row.test_loss_ratio - point->mean);
    point->attributes += (static_cast<double>(row.attributes) - point->attributes) / n;
    point->classification_error += (row.classification_error - point->classification_error) / n;
  }
  for (SummaryCurve& curve : curves)
    for (SummaryPoint& point : curve.points)
      point.deviation = point.runs > 1 ? std::sqrt(point.deviation / static_cast<double>(point.runs - 1)) : 0;
  return curves;
}

std::string to_csv(const std::vector<SummaryCurve>& curves) {
  std::string text =
      "algorithm,examples,attributes,test_loss_ratio,standard_deviation,classification_error,runs\n";
  for (const SummaryCurve& curve : curves)
    for (const SummaryPoint& p : curve.points)
      fmt::format_to(std::back_inserter(text), "{},{},{:.1f},{:.6g},{:.3g},{},{}\n", curve.label, p.examples,
                     p.attributes, p.mean, p.deviation,
                     std::isnan(p.classification_error) ? "" : fmt::format("{:.5g}", p.classification_error),
                     p.runs);
  return text;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace glimpse
