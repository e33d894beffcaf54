#include "daemon/reports/label_status.h"

#include <fmt/format.h>
#include <string>
#include <utility>

#include "data/text/text.h"
#include "json/finite_json.h"

namespace glimpse {

namespace json = boost::json;

namespace {

struct LabelMeasure {
  const char* name;
  const char* help;
  const ProgressiveLoss::Part& (*of)(const LabelFacts&);
  bool is_exact = true;  // else estimated within the budget
};
constexpr LabelMeasure kLabelMeasures[] = {
    {"progressive", "before learning, of each of several labels.",
     [](const LabelFacts& f) -> auto& { return f.progressive_loss; }, false},
    {"recent", "over the recent examples, of each label.",
     [](const LabelFacts& f) -> auto& { return f.recent_loss; }, false},
    {"held_out", "of held-out records, of each label.",
     [](const LabelFacts& f) -> auto& { return f.held_out.loss; }},
    {"held_out_recent", "over the recent held-out records, of each label.",
     [](const LabelFacts& f) -> auto& { return f.held_out.recent; }},
    {"frozen", "of records that came while frozen, of each label.",
     [](const LabelFacts& f) -> auto& { return f.frozen.loss; }},
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
    if (measure.is_exact) continue;
    out[name + "_loss_estimate"] = number_or_null(loss.estimate);
    out[prefix + "r2_estimate"] = number_or_null(share.r2_estimate());
  }
  for (const auto& [name, of] :
       {std::pair("held_out", &facts.held_out), std::pair("frozen", &facts.frozen)}) {
    out[fmt::format("{}_mean_absolute_error", name)] = number_or_null(of->mean_absolute);
    out[fmt::format("{}_median_absolute_error", name)] = number_or_null(of->median_absolute);
  }
}

}  // namespace

void add_losses(const Statistics& s, json::object& status) {
  const LabelFacts all{"",         s.labels, s.label_variance, s.progressive_loss, s.recent_loss,
                       s.held_out, s.frozen, s.guard};
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
  }
}

}  // namespace glimpse
