#include "glimpsectl/reports/worths.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "report/fields.h"
#include "report/table.h"

namespace glimpse::ctl {

namespace json = boost::json;

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double number_or(const json::value& value, double other) {
  return value.is_number() ? value.to_number<double>() : other;
}

std::string name_with_sign(const Worth& worth) {
  return worth.name + (worth.sign > 0 ? " (+)" : worth.sign < 0 ? " (-)" : "");
}

}  // namespace

std::vector<Worth> worths_of(const json::object& model) {
  std::map<std::string, Worth> by_attribute;             // by its number, or those of a product
  const auto* const names = model.if_contains("names");  // else they have numbers
  const auto& importances = model.at("importances").as_array();
  const auto& weights = model.at("weights").as_array();            // of classes a list for each
  const auto* const attributes = model.if_contains("attributes");  // where some have several weights
  const auto* const errors = model.if_contains("importance_errors");
  for (std::size_t i = 0; i < importances.size(); ++i) {
    const std::string attribute =
        attributes ? json::serialize(attributes->as_array()[i]) : fmt::format("{}", i);
    const auto [at, is_first] = by_attribute.try_emplace(attribute);
    Worth& worth = at->second;
    if (!is_first) {  // a part of a date, whose number of days is worth what all of it is
      worth.sign = 0;
      continue;
    }
    const double weight =
        weights.size() == importances.size() && weights[i].is_number() ? weights[i].to_number<double>() : 0;
    worth.name = names ? std::string(names->as_array()[i].as_string()) : std::string();
    if (worth.name.empty()) worth.name = fmt::format("attribute {}", attribute);
    worth.importance = number_or(importances[i], kUnknown);
    worth.error = errors ? number_or(errors->as_array()[i], kUnknown) : kUnknown;
    worth.sign = weight == 0 ? 0 : weight > 0 ? 1 : -1;
  }
  if (const auto* const whole = model.if_contains("categories"))
    for (const json::value& category : whole->as_array())
      by_attribute[json::serialize(category.at("attribute"))] = {
          std::string(category.at("name").as_string()), number_or(category.at("importance"), kUnknown),
          number_or(category.at("importance_error"), kUnknown)};
  std::vector<Worth> all;
  for (auto& [attribute, worth] : by_attribute) all.push_back(std::move(worth));
  const auto key = [](const Worth& worth) { return std::isnan(worth.importance) ? -1 : worth.importance; };
  std::ranges::sort(all, [&](const Worth& a, const Worth& b) {
    return key(a) != key(b) ? key(a) > key(b) : a.name < b.name;
  });
  return all;
}

std::string worth_report(const std::vector<Worth>& worths, const std::string& of) {
  constexpr std::size_t kShown = 10;
  constexpr double kBar = 40;
  Table table({{"what matters" + of, true}, {"share of the label's variance", true}});
  const double most = worths.empty() ? 0 : worths.front().importance;
  for (std::size_t i = 0; i < std::min(worths.size(), kShown); ++i) {
    const Worth& worth = worths[i];
    const auto bar =
        static_cast<std::size_t>(worth.importance > 0 ? std::lround(kBar * worth.importance / most) : 0);
    table.add(
        {name_with_sign(worth), std::isnan(worth.importance)
                                    ? std::string(kAbsent)
                                    : std::string(bar, '#') + fmt::format(" {:.3f}", worth.importance)});
  }
  return table.text() +
         (worths.size() > kShown ? fmt::format("and {} others\n", worths.size() - kShown) : std::string());
}

Chart worth_chart(const std::vector<Worth>& worths) {
  constexpr std::size_t kShown = 20;
  Chart chart;
  chart.title = "What matters: importances ± standard errors";
  if (worths.size() > kShown) chart.title += fmt::format(" ({} of {} attributes)", kShown, worths.size());
  chart.x_label = "share of the label's variance";
  constexpr const char* kNames[] = {"(+) raises predictions", "(-) lowers them", "of several weights"};
  chart.series.resize(3);
  chart.x_max = 1e-9;
  for (std::size_t i = 0; i < std::min(worths.size(), kShown); ++i) {
    const Worth& worth = worths[i];
    if (std::isnan(worth.importance)) break;  // they come last
    const double importance = std::max(worth.importance, 0.0);
    Worth shown = worth;
    shown.name = clipped(worth.name, 66);  // its sign is shown
    chart.bars.push_back({name_with_sign(shown), importance, importance - worth.error,
                          importance + worth.error,
                          worth.sign > 0   ? 0U
                          : worth.sign < 0 ? 1U
                                           : 2U});
    chart.series[chart.bars.back().series].name = kNames[chart.bars.back().series];
    chart.x_max =
        std::max({chart.x_max, importance, std::isfinite(worth.error) ? importance + worth.error : 0});
  }
  return chart;
}

}  // namespace glimpse::ctl
