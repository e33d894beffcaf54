#include "daemon/reports/label_status.h"

#include <fmt/format.h>
#include <string>

#include "data/text/text.h"
#include "json/finite_json.h"

namespace glimpse {

namespace json = boost::json;

namespace {

struct LabelMeasure {
  const char* name;
  const char* help;
  ProgressiveLoss::Part LabelFacts::* of;
};
constexpr LabelMeasure kLabelMeasures[] = {
    {"progressive", "before learning, of each of several labels.", &LabelFacts::progressive_loss},
    {"recent", "over the last half to three quarters of the examples, of each label.",
     &LabelFacts::recent_loss},
    {"held_out", "of held-out records, of each label.", &LabelFacts::held_out_loss},
    {"held_out_recent", "over the last half to three quarters of the held-out records, of each label.",
     &LabelFacts::held_out_recent},
    {"frozen", "of records that came while frozen, of each label.", &LabelFacts::frozen_loss},
    {"frozen_recent",
     "over the last half to three quarters of the records that came while frozen, of each label.",
     &LabelFacts::frozen_recent},
};

}  // namespace

json::value labels_json(const Statistics& s) {
  json::array labels;
  for (const LabelFacts& facts : s.by_label) {
    json::object label{{"name", valid_utf8(facts.name)},
                       {"label_min", number_or_null(facts.labels.min())},
                       {"label_max", number_or_null(facts.labels.max())},
                       {"label_variance", number_or_null(facts.variance)},
                       {"model_served", name_of(facts.guard.served)}};
    for (const LabelMeasure& measure : kLabelMeasures) {
      const ProgressiveLoss::Part& loss = facts.*measure.of;
      const LossShare share = facts.share(loss);
      const std::string name = measure.name;
      label[name + "_loss"] = loss.count > 0 ? number_or_null(loss.mean) : json::value(nullptr);
      label[name + "_loss_error"] = number_or_null(loss.standard_error());
      label[name + "_r2"] = number_or_null(share.r2());
      label[name + "_r2_error"] = number_or_null(share.error);
    }
    labels.push_back(std::move(label));
  }
  return labels;
}

void add_label_metrics(const Statistics& s, Exposition& out) {
  if (s.by_label.empty()) return;
  const auto gauges = [&](const std::string& name, const std::string& help, const auto& value_of) {
    auto& family = out.family(name, help, Exposition::Type::Gauge);
    for (const LabelFacts& facts : s.by_label)
      if (const double value = value_of(facts); !std::isnan(value))
        Exposition::add(family, value, {{"label", valid_utf8(facts.name)}});
  };
  gauges("glimpse_label_model_withheld", "1: the newest model of this label is worse than the mean.",
         [](const LabelFacts& facts) { return facts.guard.served == Served::kNewest ? 0.0 : 1.0; });
  for (const LabelMeasure& measure : kLabelMeasures) {
    if (!s.holds_out && std::string(measure.name).starts_with("held_out")) continue;
    if (!s.was_frozen && std::string(measure.name).starts_with("frozen")) continue;
    gauges(fmt::format("glimpse_label_{}_loss", measure.name),
           fmt::format("Mean squared error {}", measure.help), [&](const LabelFacts& facts) {
             return (facts.*measure.of).count > 0 ? (facts.*measure.of).mean : std::nan("");
           });
    gauges(fmt::format("glimpse_label_{}_r2", measure.name),
           fmt::format("1 less glimpse_label_{}_loss over the label's variance.", measure.name),
           [&](const LabelFacts& facts) { return facts.share(facts.*measure.of).r2(); });
  }
}

}  // namespace glimpse
