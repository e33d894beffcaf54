#include "daemon/bodies/small_model_body.h"

#include <algorithm>

#include <boost/json.hpp>

#include "daemon/statistics/small_labels.h"
#include "json/finite_json.h"

namespace glimpse {

namespace json = boost::json;

namespace {

json::array list(const std::vector<Attribute>& attributes) {
  return json::array(attributes.begin(), attributes.end());
}

// As it is answered everywhere: with the fewest digits, and whole numbers without a point.
json::value money(const SmallModelSnapshot& s, Money amount) {
  if (!s.has_prices) return nullptr;
  return amount % kMoneyUnit == 0 ? json::value(amount / kMoneyUnit) : json::value(money_in_units(amount));
}

// Null where labels are too small for their squares: see kSmallestTold.
json::value told_loss(const SmallModel& small, double loss) {
  const bool is_told = !(small.loss_of_mean > 0) || small.loss_of_mean >= kSmallestTold * kSmallestTold;
  return is_told ? number_or_null(loss) : nullptr;
}

json::array names_of(const SmallModelSnapshot& s, const std::vector<Attribute>& attributes) {
  json::array names;
  for (const Attribute i : attributes) names.emplace_back(feature_name(s.names, {i, i, {}, false, {}}));
  return names;
}

json::object weights_by_name(const SmallModelSnapshot& s) {
  json::object weights;
  const SmallModel& small = *s.small;
  const auto add = [&](const ModelFeature& feature) {
    if (feature.slot < small.model.weights.size())
      weights[feature_name(s.names, feature)] = number_or_null(small.model.weights[feature.slot]);
  };
  for (const Attribute attribute : small.chosen) {
    if (s.features.empty()) add({attribute, attribute, {}, false, {}});
    for (const ModelFeature& feature : s.features)
      if (feature.attribute == attribute && feature.others.empty()) add(feature);
  }
  return weights;
}

json::array curve(const SmallModelSnapshot& s) {
  const SmallModel& small = *s.small;
  json::array points{{{"attributes", 0},
                      {"added", json::array()},
                      {"removed", json::array()},
                      {"features", 0},
                      {"cost", money(s, 0)},
                      {"loss", told_loss(small, small.loss_of_mean)},
                      {"loss_error", 0}}};
  const auto add_names = [&](const std::vector<Attribute>& added, const std::vector<Attribute>& removed) {
    if (s.names.empty()) return;
    points.back().as_object()["added_names"] = names_of(s, added);
    points.back().as_object()["removed_names"] = names_of(s, removed);
  };
  add_names({}, {});
  std::size_t count = 0;
  for (const SmallModel::Step& step : small.steps) {
    count += step.added.size();
    count -= step.removed.size();
    points.push_back({{"attributes", count},
                      {"added", list(step.added)},
                      {"removed", list(step.removed)},
                      {"features", step.features},
                      {"cost", money(s, step.cost)},
                      {"loss", told_loss(small, step.loss)},
                      {"loss_error", told_loss(small, step.loss_error)}});
    add_names(step.added, step.removed);
  }
  return points;
}

}  // namespace

std::string small_model_json(const SmallModelSnapshot& s) {
  const SmallModel& small = *s.small;
  const bool is_empty = small.steps.empty();
  json::object body{{"algorithm", s.algorithm},
                    {"examples", s.examples},
                    {"attributes_revealed", s.attributes_revealed},
                    {"age_seconds", number_or_null(s.age_seconds)},
                    {"attributes", list(small.chosen)}};
  if (!s.positions.empty()) body["positions"] = json::parse(offsets_json(s.positions));
  if (!s.names.empty()) body["names"] = names_of(s, small.chosen);
  if (!s.of_class.empty()) body["class"] = s.of_class;
  body["cost"] = money(s, is_empty ? 0 : small.steps.back().cost);
  body["loss"] = told_loss(small, is_empty ? small.loss_of_mean : small.steps.back().loss);
  body["loss_error"] = told_loss(small, is_empty ? 0 : small.steps.back().loss_error);
  body["loss_of_mean"] = told_loss(small, small.loss_of_mean);
  body["bias"] = number_or_null(small.model.bias);
  body["weights"] = weights_by_name(s);
  body["curve"] = curve(s);
  return json::serialize(body) + "\n";
}

}  // namespace glimpse
