#include <cmath>
#include <exception>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "glimpsectl/reports/reports.h"
#include "report/fields.h"
#include "report/table.h"

namespace glimpse::ctl {

namespace {

namespace json = boost::json;

std::string part_text(const json::value& value) {
  return value.is_null() ? std::string(kAbsent) : fmt::format("{:.6g}", value.to_number<double>());
}

// "3", and "3*7" for a product.
std::string factors_text(const json::value& value) {
  if (!value.is_array()) return fmt::format("{}", value.to_number<std::uint64_t>());
  std::string text;
  for (const json::value& factor : value.as_array())
    text += fmt::format("{}{}", text.empty() ? "" : "*", factor.to_number<std::uint64_t>());
  return text;
}

std::string parts_table(const json::object& explanation) {
  Table table({{"contribution"}, {"attribute"}, {"value"}, {"", true}});
  const auto add_sum = [&](const char* field, const char* what) {
    const json::value& value = explanation.at(field);
    if (value.is_null() || value.to_number<double>() != 0) table.add({part_text(value), "", "", what});
  };
  table.add({part_text(explanation.at("at_means")), "", "", "the prediction at the means"});
  for (const json::value& item : explanation.at("contributions").as_array()) {
    const json::object& part = item.as_object();
    const json::value* const name = part.if_contains("name");
    table.add({part_text(part.at("contribution")), factors_text(part.at("attribute")),
               part_text(part.at("value")), name == nullptr ? "" : field_text("name", *name)});
  }
  add_sum("rest", "the others");
  add_sum("unknown", "what is expected of those that are not known");
  add_sum("clipped", "clipping");
  return table.text();
}

}  // namespace

Result<std::string> explained_predictions(std::string_view body, std::uint64_t& before,
                                          const std::vector<std::uint64_t>& lines) {
  try {
    const json::value answer = json::parse(body);
    const json::array& predictions = answer.at("predictions").as_array();
    const json::array& explanations = answer.at("explanations").as_array();
    const json::value* const errors = answer.as_object().if_contains("standard_errors");
    if (explanations.size() != predictions.size())
      return failure(ErrorCode::kCorrupt, "it has {} predictions, but {} explanations", predictions.size(),
                     explanations.size());
    std::string text;
    for (std::size_t e = 0; e < predictions.size(); ++e) {
      const json::object& explanation = explanations[e].as_object();
      text += before > 0 ? "\n" : "";
      text += e < lines.size() ? fmt::format("line {}: ", lines[e]) : fmt::format("example {}: ", before + 1);
      if (const json::value* const next = explanation.if_contains("next")) {
        text += fmt::format("{}, of log-odds {} over {}\n{}", field_text("class", explanation.at("class")),
                            part_text(explanation.at("margin")), field_text("next", *next),
                            parts_table(explanation));
        ++before;
        continue;
      }
      const json::object& variance = explanation.at("variance").as_object();
      text += part_text(predictions[e]);
      if (errors != nullptr)
        GLIMPSE_TRY(check_number(json::serialize(errors->as_array().at(e)), 0, INFINITY));
      if (errors != nullptr) text += " ± " + part_text(errors->as_array().at(e));
      text +=
          fmt::format("; variance: {} of noise, {} of what is not known\n{}", part_text(variance.at("noise")),
                      part_text(variance.at("unknown")), parts_table(explanation));
      ++before;
    }
    return text;
  } catch (const std::exception& error) {
    return failure(ErrorCode::kCorrupt, "its explanations are not what they should be: {}", error.what());
  }
}

}  // namespace glimpse::ctl
