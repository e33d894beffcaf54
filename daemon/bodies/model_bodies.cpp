#include "daemon/bodies/model_bodies.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <utility>

#include <boost/json.hpp>

#include "checkpoint/model_export.h"
#include "daemon/bodies/body_text.h"
#include "daemon/statistics/statistics.h"
#include "data/text/text.h"
#include "json/strict_json.h"
#include "learn/importance/weight_errors.h"
#include "report/fields.h"
#include "report/top_list.h"
#include "report/units.h"

namespace glimpse {

namespace json = boost::json;

namespace {

// Weights, and the names and attributes that belong to them: those of the features, where they are more than
// the attributes.
struct ListedModel {
  explicit ListedModel(const ModelSnapshot& s)
      : weights(s.model->weights),
        names(s.names),
        importances(s.importances.get()),
        errors(s.weight_errors.get()),
        scores(s.scores.get()) {
    if (s.features.empty()) return;
    names.clear();
    for (const ModelFeature& feature : s.features) {
      own_weights.push_back(feature.slot < weights.size() ? weights[feature.slot] : 0);
      slots.push_back(feature.slot);
      attributes.push_back(feature.attribute);
      attributes.insert(attributes.end(), feature.others.begin(), feature.others.end());
      degrees.push_back(static_cast<std::uint32_t>(1 + feature.others.size()));
      has_products = has_products || !feature.others.empty();
      names.push_back(feature_name(s.names, feature));
    }
    weights = own_weights;
  }

  // Calls visit(i, attributes of feature i).
  void for_each_feature(const auto& visit) const {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const auto number = static_cast<std::uint32_t>(i);
      if (attributes.empty()) {
        visit(i, std::span(&number, 1));
        continue;
      }
      visit(i, std::span(attributes).subspan(begin, degrees[i]));
      begin += degrees[i];
    }
  }
  // A number for each feature, and a list for a product.
  std::string attributes_json() const {
    std::string text;
    for_each_feature([&](std::size_t i, std::span<const std::uint32_t> of) {
      const bool is_product = of.size() > 1;
      fmt::format_to(std::back_inserter(text), "{}{}{}{}", i == 0 ? "" : ",", is_product ? "[" : "",
                     fmt::join(of, ","), is_product ? "]" : "");
    });
    return text;
  }
  // NaN: not known.
  double importance(std::size_t i) const { return of_slot(importances ? &importances->shares : nullptr, i); }
  double importance_error(std::size_t i) const {
    return of_slot(importances ? &importances->errors : nullptr, i);
  }
  double weight_error(std::size_t i) const { return of_slot(errors, i); }
  double weight_low(std::size_t i) const { return weights[i] - kIntervalErrors * weight_error(i); }
  double weight_high(std::size_t i) const { return weights[i] + kIntervalErrors * weight_error(i); }
  double of_slot(const std::vector<double>* values, std::size_t i) const {
    const std::size_t slot = slots.empty() ? i : slots[i];
    return values != nullptr && slot < values->size() ? (*values)[slot] : std::nan("");
  }
  // Of `scores`: a number for each class, and for each feature.
  std::vector<double> weights_of_feature(std::size_t i) const {
    const auto known = scores->weights_of(slots.empty() ? i : slots[i]);
    std::vector<double> result(known.begin(), known.end());
    result.resize(scores->classes());  // the feature came later
    return result;
  }
  std::vector<double> weights_of_class(std::size_t c) const {
    std::vector<double> result;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const auto known = scores->weights_of(slots.empty() ? i : slots[i]);
      result.push_back(known.empty() ? 0 : known[c]);
    }
    return result;
  }
  std::string names_json() const { return json::serialize(json::array(names.begin(), names.end())); }

  std::span<const double> weights;
  std::vector<std::string> names;
  std::vector<std::uint32_t> attributes;  // empty: 0, 1, …; of each feature, so many as:
  std::vector<std::uint32_t> degrees;
  bool has_products = false;
  std::vector<double> own_weights;
  std::vector<std::size_t> slots;  // of own_weights
  const Importances* importances;  // nullptr: not known
  const std::vector<double>* errors;
  const ClassModel* scores;  // nullptr: of no classes
};

// What is not finite is null, which JSON has.
std::string numbers(std::span<const double> values) {
  if (std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
    return fmt::format("{}", fmt::join(values, ","));
  std::string text;
  for (const double value : values) text.append(text.empty() ? "" : ",").append(number(value));
  return text;
}

// What each attribute of categories is worth as a whole, which is in the attribute's own slot.
json::array categories_json(const ModelSnapshot& s) {
  const auto of_attribute = [&](const std::vector<double> Importances::* values, Attribute i) -> json::value {
    if (s.importances == nullptr || i >= (*s.importances.*values).size()) return nullptr;
    return number_or_null((*s.importances.*values)[i]);
  };
  json::array categories;
  for (const ModelFeature& feature : s.features) {
    if (!feature.is_category) continue;
    const Attribute i = feature.attribute;
    if (categories.empty() || categories.back().at("attribute").to_number<Attribute>() != i)
      categories.push_back({{"attribute", i},
                            {"name", feature_name(s.names, {i, i, {}, false, {}})},
                            {"importance", of_attribute(&Importances::shares, i)},
                            {"importance_error", of_attribute(&Importances::errors, i)},
                            {"features", 0}});
    json::value& count = categories.back().at("features");
    count = count.to_number<int>() + 1;
  }
  return categories;
}

// The fields of a model before its biases and weights, with a comma behind each.
std::string origin_json(const ModelSnapshot& s) {
  std::string body = fmt::format(
      R"({{"algorithm":{},"dimension":{},"examples":{},"attributes_revealed":{},"age_seconds":{},)",
      json::serialize(json::string(s.algorithm)), s.features.empty() ? s.model->weights.size() : s.dimension,
      s.examples, s.attributes_revealed, number(s.age_seconds));
  if (!s.positions.empty()) body += "\"positions\":" + offsets_json(s.positions) + ',';
  if (!s.classes.empty())
    body += fmt::format("\"classes\":{},\"slope\":{},",
                        json::serialize(json::array(s.classes.begin(), s.classes.end())), number(s.slope));
  return body;
}

// null: no bound.
json::object bounds_json(const ModelBounds& b) {
  const auto list = [](std::span<const double> values) {
    json::array array;
    for (const double value : values) array.push_back(number_or_null(value));
    return array;
  };
  json::object bounds{{"label", list(std::array{b.label_low, b.label_high})}};
  if (!b.means.empty())
    for (const auto& [name, values] :
         {std::pair("means", &b.means), {"lows", &b.lows}, {"highs", &b.highs}, {"limits", &b.limits}})
      bounds[name] = list(*values);
  return bounds;
}

// "null" where it is not known what importances are from.
std::string importances_from_json(const ModelSnapshot& s) {
  return s.importances_from == nullptr ? "null" : fmt::format("\"{}\"", s.importances_from);
}

}  // namespace

void ModelBounds::take_label(const Learner& learner, const Clip& clip) {
  if (learner.is_classifier()) return;
  label_low = clip.apply(-std::numeric_limits<double>::infinity(), learner.labels());
  label_high = clip.apply(std::numeric_limits<double>::infinity(), learner.labels());
}

void ModelBounds::add(const Learner& learner, Attribute attribute) {
  const AttributeReach reach = learner.reach(attribute);
  means.push_back(learner.sampling_row(attribute).moment.mean);
  lows.push_back(std::max(reach.low, -kLargestMagnitude));
  highs.push_back(std::min(reach.high, kLargestMagnitude));
  limits.push_back(reach.largest > 0 ? reach_of(reach.largest) : std::numeric_limits<double>::infinity());
}

bool ModelBounds::bounds_attributes(const Learner& learner, const Clip& clip) {
  return clip.kind == Clip::Kind::kAuto && keeps_pairs(learner.options().algorithm);
}

std::string model_json(const ModelSnapshot& s) {
  const ListedModel listed(s);
  std::string body = origin_json(s);
  if (s.scores) {
    body += fmt::format("\"biases\":[{}],\"weights\":[", numbers(s.scores->biases));
    for (std::size_t c = 0; c < s.scores->classes(); ++c)
      body += fmt::format("{}[{}]", c == 0 ? "" : ",", numbers(listed.weights_of_class(c)));
  } else {
    body += fmt::format("\"bias\":{},\"weights\":[{}", number(s.model->bias), numbers(listed.weights));
  }
  body += "],\"importances_from\":" + importances_from_json(s);
  const auto add_array = [&](const char* name, double (ListedModel::*value)(std::size_t) const) {
    body += fmt::format(",\"{}\":[", name);
    for (std::size_t i = 0; i < listed.weights.size(); ++i) {
      if (i > 0) body += ',';
      body += number((listed.*value)(i));
    }
    body += ']';
  };
  add_array("importances", &ListedModel::importance);
  add_array("importance_errors", &ListedModel::importance_error);
  if (s.has_errors) {
    body += fmt::format(",\"interval\":{}", kIntervalShare);
    add_array("weight_errors", &ListedModel::weight_error);
    add_array("weight_lows", &ListedModel::weight_low);
    add_array("weight_highs", &ListedModel::weight_high);
  }
  body += ",\"bounds\":" + json::serialize(bounds_json(s.bounds));
  if (!listed.names.empty()) body += ",\"names\":" + listed.names_json();
  if (!listed.attributes.empty()) body += fmt::format(",\"attributes\":[{}]", listed.attributes_json());
  if (const json::array categories = categories_json(s); !categories.empty())
    body += ",\"categories\":" + json::serialize(categories);
  return body + "}\n";
}

namespace {

// "–" where it is not known.
std::string with_error(double value, double error, int digits) {
  if (std::isnan(value)) return std::string(kAbsent);
  return fmt::format("{:.{}g}", value, digits) +
         (std::isnan(error) ? std::string() : fmt::format(" ± {:.2g}", error));
}

// For an order of features whose importance is not known: of classes how far their weights lie apart.
double size_of_weight(const ListedModel& listed, std::size_t i) {
  if (listed.scores == nullptr) return std::isnan(listed.weights[i]) ? 0 : std::abs(listed.weights[i]);
  const auto [low, high] = std::ranges::minmax(listed.weights_of_feature(i));
  return high - low;
}

// Where a model comes from, for people.
std::string origin_report(const ModelSnapshot& s, std::size_t most_classes) {
  std::string text = origin_json(s);
  if (!s.label.empty())
    text = fmt::format("{{\"label\":{},{}", json::serialize(json::string(s.label)), text.substr(1));
  if (s.scores == nullptr) text += fmt::format("\"bias\":{},", number(s.model->bias));
  json::object origin =
      json::parse(text + "\"importances_from\":" + importances_from_json(s) + "}").as_object();
  if (s.scores != nullptr && s.scores->classes() > most_classes)
    origin["classes"] =
        fmt::format("{}, weights of the first {} are shown", s.scores->classes(), most_classes);
  return object_report(origin);
}

}  // namespace

std::string model_table(const ModelSnapshot& s, std::size_t top) {
  constexpr std::size_t kMostClasses = 6;
  const ListedModel listed(s);
  const json::array categories = categories_json(s);
  std::vector<Table::Column> columns{{"attribute"}, {"importance", true}};
  const std::size_t classes = s.scores ? std::min(s.scores->classes(), kMostClasses) : 0;
  for (std::size_t c = 0; c < classes; ++c) columns.push_back({s.classes[c]});
  if (!s.scores) columns.push_back({"weight", s.has_errors});
  if (s.has_errors) columns.push_back({fmt::format("{:g} % interval", 100 * kIntervalShare), true});
  if (!listed.names.empty()) columns.push_back({"name", true});

  TopList<std::vector<std::string>> known(top);
  TopList<std::vector<std::string>> unknown(top);
  listed.for_each_feature([&](std::size_t i, std::span<const std::uint32_t> attributes) {
    const double importance = listed.importance(i);
    const bool is_known = !std::isnan(importance);
    (is_known ? known : unknown).offer(is_known ? importance : size_of_weight(listed, i), [&] {
      std::vector<std::string> cells{fmt::format("{}", fmt::join(attributes, "*")),
                                     with_error(importance, listed.importance_error(i), 4)};
      for (std::size_t c = 0; c < classes; ++c)
        cells.push_back(fmt::format("{:.5g}", listed.weights_of_feature(i)[c]));
      if (!s.scores) cells.push_back(with_error(listed.weights[i], listed.weight_error(i), 6));
      if (s.has_errors)
        cells.push_back(std::isnan(listed.weight_error(i))
                            ? std::string(kAbsent)
                            : fmt::format("{:.4g} to {:.4g}", listed.weight_low(i), listed.weight_high(i)));
      if (i < listed.names.size()) cells.push_back(listed.names[i]);
      return cells;
    });
  });
  // An attribute of categories has no weight, and a row beside those of its categories.
  for (const json::value& category : categories) {
    const json::value& error = category.at("importance_error");
    if (category.at("importance").is_null()) continue;
    const auto importance = category.at("importance").to_number<double>();
    known.offer(importance, [&] {
      std::vector<std::string> cells(columns.size(), std::string(kAbsent));
      cells.front() = fmt::format("{}", category.at("attribute").to_number<Attribute>());
      cells[1] = with_error(importance, error.is_null() ? std::nan("") : error.to_number<double>(), 4);
      const auto count = category.at("features").to_number<std::uint64_t>();
      cells.back() = fmt::format("{} ({} {})", std::string_view(category.at("name").as_string()), count,
                                 count == 1 ? "category" : "categories");
      return cells;
    });
  }
  std::vector<std::vector<std::string>> rows = known.take();
  for (auto& row : unknown.take())
    if (rows.size() < top) rows.push_back(std::move(row));
  Table table(columns);
  for (auto& row : rows) table.add(std::move(row));
  return fmt::format(
      "{}\nmost important ({} of {}); {}\n{}", origin_report(s, kMostClasses), with_thousands(rows.size()),
      with_thousands(listed.weights.size() + categories.size()),
      s.scores ? "weights in the scores of classes" : "importance: share of the label's variance",
      table.text());
}

std::string model_csv(const ModelSnapshot& s) {
  const ListedModel listed(s);
  std::string heads = "weight";
  if (s.scores) heads.clear();
  for (std::size_t c = 0; s.scores && c < s.scores->classes(); ++c)
    heads += (c == 0 ? "" : ",") + csv_field("weight of " + s.classes[c]);
  std::string body = fmt::format("attribute,name,{},importance,importance_error{}\nbias,,{},,{}\n", heads,
                                 s.has_errors ? ",weight_error,weight_low,weight_high" : "",
                                 s.scores ? numbers(s.scores->biases) : fmt::format("{}", s.model->bias),
                                 s.has_errors ? ",,," : "");
  const auto field = [](double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; };
  listed.for_each_feature([&](std::size_t i, std::span<const std::uint32_t> attributes) {
    fmt::format_to(std::back_inserter(body), "{},{},{},{},{}", fmt::join(attributes, "*"),
                   i < listed.names.size() ? csv_field(listed.names[i]) : "",
                   s.scores ? numbers(listed.weights_of_feature(i)) : fmt::format("{}", listed.weights[i]),
                   field(listed.importance(i)), field(listed.importance_error(i)));
    if (s.has_errors)
      fmt::format_to(std::back_inserter(body), ",{},{},{}", field(listed.weight_error(i)),
                     field(listed.weight_low(i)), field(listed.weight_high(i)));
    body += '\n';
  });
  return body;
}

Result<std::string> model_safetensors(const ModelSnapshot& s, const std::string& version) {
  const ListedModel listed(s);
  std::vector<Text> provenance{{"algorithm", s.algorithm},
                               {"examples", fmt::format("{}", s.examples)},
                               {"attributes_revealed", fmt::format("{}", s.attributes_revealed)},
                               {"age_seconds", fmt::format("{}", s.age_seconds)},
                               {"software", "glimpse " + version}};
  if (!s.label.empty()) provenance.push_back({"label", s.label});
  if (!s.positions.empty()) provenance.push_back({"positions", offsets_json(s.positions)});
  if (!listed.attributes.empty()) provenance.push_back({"features", listed.names_json()});
  std::vector<double> errors;
  if (s.has_errors)
    for (std::size_t i = 0; i < listed.weights.size(); ++i) errors.push_back(listed.weight_error(i));
  std::vector<double> of_classes;
  for (std::size_t c = 0; s.scores && c < s.scores->classes(); ++c)
    std::ranges::copy(listed.weights_of_class(c), std::back_inserter(of_classes));
  if (!s.classes.empty()) {
    provenance.push_back({"classes", json::serialize(json::array(s.classes.begin(), s.classes.end()))});
    provenance.push_back({"slope", fmt::format("{}", s.slope)});
  }
  const std::array label{s.bounds.label_low, s.bounds.label_high};
  return encode_safetensors(
      {{"weights", s.scores ? std::span<const double>(of_classes) : listed.weights},
       {"bias", s.scores ? std::span<const double>(s.scores->biases) : std::span(&s.model->bias, 1)},
       {"weight_errors", errors},
       {"label_bounds", label},
       {"means", s.bounds.means},
       {"lows", s.bounds.lows},
       {"highs", s.bounds.highs},
       {"limits", s.bounds.limits}},
      {{"attributes", listed.attributes},
       {"degrees", listed.has_products ? listed.degrees : std::vector<std::uint32_t>()}},
      provenance);
}

namespace {

json::array list(const std::vector<Attribute>& attributes) {
  return json::array(attributes.begin(), attributes.end());
}

// As it is answered everywhere: with the fewest digits, and whole numbers without a point.
json::value money(const SmallModelSnapshot& s, Money amount) {
  if (!s.has_prices) return nullptr;
  return amount % kMoneyUnit == 0 ? json::value(amount / kMoneyUnit) : json::value(money_in_units(amount));
}

// Null where labels are too small for their squares, see kSmallestTold, and of one example, which leaves no
// loss to estimate.
json::value told_loss(const SmallModelSnapshot& s, double loss) {
  const double mean = s.small->loss_of_mean;
  const bool is_told = s.examples > 1 && (!(mean > 0) || mean >= kSmallestTold * kSmallestTold);
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
                      {"loss", told_loss(s, small.loss_of_mean)},
                      {"loss_error", s.examples > 1 ? json::value(0) : json::value(nullptr)}}};
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
                      {"loss", told_loss(s, step.loss)},
                      {"loss_error", told_loss(s, step.loss_error)}});
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
  body["loss"] = told_loss(s, is_empty ? small.loss_of_mean : small.steps.back().loss);
  body["loss_error"] = told_loss(s, is_empty ? 0 : small.steps.back().loss_error);
  body["loss_of_mean"] = told_loss(s, small.loss_of_mean);
  body["bias"] = number_or_null(small.model.bias);
  body["weights"] = weights_by_name(s);
  body["bounds"] = bounds_json(s.bounds);
  body["curve"] = curve(s);
  return json::serialize(body) + "\n";
}

}  // namespace glimpse
