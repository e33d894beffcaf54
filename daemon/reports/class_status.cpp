#include "daemon/reports/class_status.h"

#include <fmt/format.h>
#include <string>
#include <utility>

#include "data/text/text.h"
#include "json/strict_json.h"

namespace glimpse {

namespace json = boost::json;

namespace {

struct LabelMeasure {
  const char* name;
  const char* help;
  const ProgressiveLoss::Part& (*of)(const LabelFacts&);
  bool is_exact = true;  // else estimated within the budget
  // The mean and the median absolute error, of these records; nullptr: of others.
  std::pair<double, double> (*absolute)(const LabelFacts&) = nullptr;
};
std::pair<double, double> absolute(const UnlearnedLoss& records) {
  return {records.mean_absolute, records.median_absolute};
}
constexpr LabelMeasure kLabelMeasures[] = {
    {"progressive", "before learning, of each of several labels.",
     [](const LabelFacts& f) -> auto& { return f.progressive_loss; }, false,
     [](const LabelFacts& f) { return std::pair(f.mean_absolute, f.median_absolute); }},
    {"recent", "over the recent examples, of each label.",
     [](const LabelFacts& f) -> auto& { return f.recent_loss; }, false},
    {"held_out", "of held-out records, of each label.",
     [](const LabelFacts& f) -> auto& { return f.held_out.loss; }, true,
     [](const LabelFacts& f) { return absolute(f.held_out); }},
    {"held_out_recent", "over the recent held-out records, of each label.",
     [](const LabelFacts& f) -> auto& { return f.held_out.recent; }},
    {"frozen", "of records that came while frozen, of each label.",
     [](const LabelFacts& f) -> auto& { return f.frozen.loss; }, true,
     [](const LabelFacts& f) { return absolute(f.frozen); }},
    {"frozen_recent", "over the recent records that came while frozen, of each label.",
     [](const LabelFacts& f) -> auto& { return f.frozen.recent; }},
};

// `progressive`: what R2 and the root of all examples begin with.
void add_losses(const LabelFacts& facts, bool has_unit, const std::string& progressive, json::object& out) {
  for (const LabelMeasure& measure : kLabelMeasures) {
    const NonNegative loss = (measure.of(facts)).reported();
    const LossShare share = share_of(measure.of(facts), facts.variance);
    const std::string name = measure.name;
    const std::string prefix = &measure == kLabelMeasures ? progressive : name + "_";
    out[name + "_loss"] = number_or_null(loss.value());
    out[name + "_loss_error"] = number_or_null(loss.error);
    out[prefix + "rmse"] = has_unit ? number_or_null(loss.root()) : nullptr;
    out[prefix + "r2"] = number_or_null(share.r2());
    out[prefix + "r2_error"] = number_or_null(share.error);
    if (measure.absolute != nullptr) {
      out[prefix + "mean_absolute_error"] = number_or_null(measure.absolute(facts).first);
      out[prefix + "median_absolute_error"] = number_or_null(measure.absolute(facts).second);
    }
    if (measure.is_exact) continue;
    out[name + "_loss_estimate"] = number_or_null(loss.estimate);
    out[prefix + "r2_estimate"] = number_or_null(share.r2_estimate());
  }
}

}  // namespace

void add_losses(const Statistics& s, json::object& status) {
  const LabelFacts all{"",         s.labels, s.label_variance, s.progressive_loss, s.recent_loss,
                       s.held_out, s.frozen, s.guard,          s.mean_absolute,    s.median_absolute};
  add_losses(all, !s.classes, "", status);
}

json::value labels_json(const Statistics& s) {
  json::array labels;
  for (const LabelFacts& facts : s.by_label) {
    json::object label{{"name", valid_utf8(facts.name)},
                       {"label_min", number_or_null(facts.labels.min())},
                       {"label_max", number_or_null(facts.labels.max())},
                       {"label_variance", number_or_null(facts.variance)},
                       {"model_served", name_of(facts.guard.served)}};
    add_losses(facts, true, "progressive_", label);
    labels.push_back(std::move(label));
  }
  return labels;
}

void add_label_metrics(const Statistics& s, Exposition& out) {
  if (s.by_label.empty()) return;
  const auto gauges = [&](const std::string& name, const std::string& help, const auto& value_of) {
    auto& family = out.family(name, help, Exposition::Type::Gauge);
    for (const LabelFacts& facts : s.by_label)
      if (const double value = value_of(facts); std::isfinite(value))
        Exposition::add(family, value, {{"label", valid_utf8(facts.name)}});
  };
  gauges("glimpse_label_model_withheld", "1: the newest model of this label is worse than the mean.",
         [](const LabelFacts& facts) { return facts.guard.served == Served::kNewest ? 0.0 : 1.0; });
  for (const LabelMeasure& measure : kLabelMeasures) {
    if (!s.holds_out && std::string(measure.name).starts_with("held_out")) continue;
    if (!s.was_frozen && std::string(measure.name).starts_with("frozen")) continue;
    const std::string loss = fmt::format("glimpse_label_{}_loss", measure.name);
    gauges(loss, fmt::format("Mean squared error {}", measure.help),
           [&](const LabelFacts& facts) { return measure.of(facts).reported().value(); });
    gauges(fmt::format("glimpse_label_{}_rmse", measure.name), fmt::format("Square root of {}.", loss),
           [&](const LabelFacts& facts) { return measure.of(facts).reported().root(); });
    gauges(fmt::format("glimpse_label_{}_r2", measure.name),
           fmt::format("1 less {} over that of the label's mean.", loss),
           [&](const LabelFacts& facts) { return share_of(measure.of(facts), facts.variance).r2(); });
    if (measure.absolute == nullptr) continue;
    gauges(fmt::format("glimpse_label_{}_mean_absolute_error", measure.name),
           fmt::format("Mean absolute error {}", measure.help),
           [&](const LabelFacts& facts) { return measure.absolute(facts).first; });
    gauges(fmt::format("glimpse_label_{}_median_absolute_error", measure.name),
           fmt::format("Median absolute error {}", measure.help),
           [&](const LabelFacts& facts) { return measure.absolute(facts).second; });
  }
}

namespace {

struct Measure {
  const char* name;
  const char* help;
  const ProgressiveLoss& (ClassReport::*of)() const;
};
constexpr Measure kMeasures[] = {
    {"error", "Share of the records {} for which another class was predicted.", &ClassReport::wrong},
    {"log_loss", "Mean of -log of the probability that the classes of records {} had.",
     &ClassReport::log_loss},
    {"brier", "Mean of the squared errors of all classes' probabilities, summed, from 0 to 2: of records {}.",
     &ClassReport::brier},
};

// Ten bins, told as sums, so that those of any span of time are a difference. `of` and `called`:
// add_report()'s.
void add_calibration(const ClassReport& report, const std::string& of, const char* called, Exposition& out) {
  const std::string name = fmt::format("glimpse_{}_calibration", of);
  auto& examples = out.family(
      name + "_total",
      fmt::format(
          "Records {} by the probability that the class predicted for them had: from bin to bin + 0.1.",
          called),
      Exposition::Type::Counter);
  auto& right =
      out.family(name + "_right_total", "Those of them whose class it was.", Exposition::Type::Counter);
  auto& sums = out.family(name + "_probability_total",
                          fmt::format("These probabilities, summed: over {}_total the mean of a bin.", name),
                          Exposition::Type::Counter);
  auto& errors = out.family(name + "_right_share_error",
                            fmt::format("Standard error of {0}_right_total over {0}_total.", name),
                            Exposition::Type::Gauge);
  for (std::size_t b = 0; b < ClassReport::kBins; ++b) {
    const ClassReport::Bin& bin = report.bins()[b];
    const std::string from = fmt::format("{:.1f}", static_cast<double>(b) / ClassReport::kBins);
    Exposition::add(examples, static_cast<double>(bin.count), {{"bin", from}});
    Exposition::add(right, static_cast<double>(bin.right), {{"bin", from}});
    Exposition::add(sums, bin.probabilities, {{"bin", from}});
    if (bin.count > 0) Exposition::add(errors, bin.share_error(), {{"bin", from}});
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

json::value class_report_json(const HeldOut& records) {
  if (!records.classes) return nullptr;
  const ClassReport& report = *records.classes;
  json::object body{{"examples", report.count()}};
  for (const Measure& measure : kMeasures) {
    const ProgressiveLoss& loss = (report.*measure.of)();
    const ProgressiveLoss::Part recent = loss.recent();
    const std::string name = measure.name;
    body[name] = number_or_null(loss.total().mean);
    body[name + "_error"] = number_or_null(loss.total().standard_error());
    body["recent_" + name] = recent.count > 0 ? number_or_null(recent.mean) : nullptr;
    body["recent_" + name + "_error"] = number_or_null(recent.standard_error());
  }
  body["calibration_error"] = number_or_null(report.calibration_error());
  json::array bins;
  for (const ClassReport::Bin& bin : report.bins())
    bins.push_back({{"count", bin.count},
                    {"mean_probability", bin.count > 0 ? json::value(bin.mean_probability()) : nullptr},
                    {"share_right", bin.count > 0 ? json::value(bin.share_right()) : nullptr},
                    {"share_right_error", number_or_null(bin.share_error())}});
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

namespace {

// `of`: "held_out" or "frozen", as names begin, and as sentences call these records.
void add_report(const Statistics& s, const HeldOut& records, const std::string& of, const char* called,
                Exposition& out) {
  if (!records.classes) return;
  const ClassReport& report = *records.classes;
  for (const Measure& measure : kMeasures) {
    const ProgressiveLoss& loss = (report.*measure.of)();
    const std::string name = fmt::format("glimpse_{}_class_{}", of, measure.name);
    const std::string recent = fmt::format("glimpse_{}_recent_class_{}", of, measure.name);
    out.gauge(name, fmt::format(fmt::runtime(measure.help), called), loss.total().mean);
    out.gauge(name + "_error", fmt::format("Standard error of {}.", name), loss.total().standard_error());
    out.gauge(recent, "The same over the recent ones (--recent).", loss.recent().mean);
    out.gauge(recent + "_error", fmt::format("Standard error of {}.", recent),
              loss.recent().standard_error());
  }
  out.gauge(fmt::format("glimpse_{}_calibration_error", of),
            "How far probabilities of predicted classes are from how often these were right, in ten bins.",
            report.calibration_error());
  add_calibration(report, of, called, out);
  if (report.confused() > kMostConfusedMetrics) return;
  auto& confusion =
      out.family(fmt::format("glimpse_{}_confusion_total", of),
                 fmt::format("Records {} by their class and by the one predicted; '' is all others.", called),
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

}  // namespace

void add_class_metrics(const Statistics& s, Exposition& out) {
  if (!s.classes) return;
  out.gauge("glimpse_classes", "Classes that labels named.", static_cast<double>(s.classes->count));
  out.gauge("glimpse_class_slope",
            "By which scores of classes are multiplied before they become probabilities.", s.classes->slope);
  add_report(s, s.held_out, "held_out", "held out", out);
  add_report(s, s.frozen, "frozen", "that came while frozen", out);
}

}  // namespace glimpse
