#include "daemon/api/class_status.h"

#include <cmath>
#include <fmt/format.h>

namespace glimpse {

namespace json = boost::json;

namespace {

struct Measure {
  const char* name;
  const char* help;
  const ProgressiveLoss& (ClassReport::*of)() const;
};
constexpr Measure kMeasures[] = {
    {"error", "Share of the held-out records for which another class was predicted.", &ClassReport::wrong},
    {"log_loss", "Mean of -log of the probability that the held-out records' classes had.",
     &ClassReport::log_loss},
    {"brier", "Mean of the squared errors of all classes' probabilities, summed: from 0 to 2.",
     &ClassReport::brier},
};

json::value finite_or_null(double value) {
  return std::isfinite(value) ? json::value(value) : json::value(nullptr);
}

// Ten bins, told as sums, so that those of any span of time are a difference.
void add_calibration(const ClassReport& report, Exposition& out) {
  auto& examples =
      out.family("glimpse_held_out_calibration_total",
                 "Held-out records by the probability that the class predicted for them had: from bin "
                 "to bin + 0.1.",
                 Exposition::Type::Counter);
  auto& right = out.family("glimpse_held_out_calibration_right_total", "Those of them whose class it was.",
                           Exposition::Type::Counter);
  auto& sums =
      out.family("glimpse_held_out_calibration_probability_total",
                 "These probabilities, summed: over glimpse_held_out_calibration_total the mean of a bin.",
                 Exposition::Type::Counter);
  for (std::size_t b = 0; b < ClassReport::kBins; ++b) {
    const ClassReport::Bin& bin = report.bins()[b];
    const std::string from = fmt::format("{:.1f}", static_cast<double>(b) / ClassReport::kBins);
    Exposition::add(examples, static_cast<double>(bin.count), {{"bin", from}});
    Exposition::add(right, static_cast<double>(bin.right), {{"bin", from}});
    Exposition::add(sums, bin.probabilities, {{"bin", from}});
  }
}

}  // namespace

json::value classes_json(const Statistics& s) {
  if (!s.classes) return nullptr;
  json::array first;
  for (const ClassFacts::Class& c : s.classes->classes)
    first.push_back({{"name", c.name}, {"examples", c.examples}});
  return {{"count", s.classes->count}, {"first", std::move(first)}, {"slope", s.classes->slope}};
}

json::value held_out_classes_json(const Statistics& s) {
  if (!s.held_out.classes) return nullptr;
  const ClassReport& report = *s.held_out.classes;
  json::object body{{"examples", report.count()}};
  for (const Measure& measure : kMeasures) {
    const ProgressiveLoss& loss = (report.*measure.of)();
    const ProgressiveLoss::Part recent = loss.recent();
    const std::string name = measure.name;
    body[name] = finite_or_null(loss.total().mean);
    body[name + "_error"] = finite_or_null(loss.total().standard_error());
    body["recent_" + name] = recent.count > 0 ? finite_or_null(recent.mean) : nullptr;
    body["recent_" + name + "_error"] = finite_or_null(recent.standard_error());
  }
  body["calibration_error"] = finite_or_null(report.calibration_error());
  json::array bins;
  for (const ClassReport::Bin& bin : report.bins())
    bins.push_back({{"count", bin.count},
                    {"mean_probability", bin.count > 0 ? json::value(bin.mean_probability()) : nullptr},
                    {"share_right", bin.count > 0 ? json::value(bin.share_right()) : nullptr}});
  body["calibration"] = std::move(bins);
  json::array rows;
  for (std::size_t a = 0; a <= report.confused(); ++a) {
    json::array row;
    for (std::size_t p = 0; p <= report.confused(); ++p) row.push_back(report.confusion(a, p));
    rows.push_back(std::move(row));
  }
  body["confusion"] = std::move(rows);
  return body;
}

void add_class_metrics(const Statistics& s, Exposition& out) {
  if (!s.classes) return;
  out.gauge("glimpse_classes", "Classes that labels named.", static_cast<double>(s.classes->count));
  out.gauge("glimpse_class_slope",
            "By which scores of classes are multiplied before they become probabilities.", s.classes->slope);
  if (!s.held_out.classes) return;
  const ClassReport& report = *s.held_out.classes;
  for (const Measure& measure : kMeasures) {
    const ProgressiveLoss& loss = (report.*measure.of)();
    const std::string name = fmt::format("glimpse_held_out_class_{}", measure.name);
    const std::string recent = fmt::format("glimpse_held_out_recent_class_{}", measure.name);
    out.gauge(name, measure.help, loss.total().mean);
    out.gauge(name + "_error", fmt::format("Standard error of {}.", name), loss.total().standard_error());
    out.gauge(recent, "The same over the last half to three quarters of them.", loss.recent().mean);
    out.gauge(recent + "_error", fmt::format("Standard error of {}.", recent),
              loss.recent().standard_error());
  }
  out.gauge("glimpse_held_out_calibration_error",
            "How far probabilities of predicted classes are from how often these were right, in ten bins.",
            report.calibration_error());
  add_calibration(report, out);
  if (report.confused() > kMostConfusedMetrics) return;
  auto& confusion = out.family("glimpse_held_out_confusion_total",
                               "Held-out records by their class and by the one predicted; '' is all others.",
                               Exposition::Type::Counter);
  const auto name = [&](std::size_t c) {
    return c < report.confused() && c < s.classes->classes.size() ? s.classes->classes[c].name
                                                                  : std::string();
  };
  for (std::size_t a = 0; a <= report.confused(); ++a)
    for (std::size_t p = 0; p <= report.confused(); ++p)
      if (const std::uint64_t count = report.confusion(a, p); count > 0)
        Exposition::add(confusion, static_cast<double>(count), {{"class", name(a)}, {"predicted", name(p)}});
}

}  // namespace glimpse
