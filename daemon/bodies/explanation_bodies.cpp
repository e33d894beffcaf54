#include "daemon/bodies/explanation_bodies.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include <boost/json.hpp>

#include "daemon/bodies/body_text.h"
#include "daemon/bodies/model_bodies.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

void add_part(const Explanation::Part& part, const SlotNames& names, std::string& body) {
  std::string name = part.slot < names.names.size() ? names.names[part.slot] : std::string();
  std::string attribute = fmt::format("{}", part.slot);
  const auto feature = std::ranges::lower_bound(names.features, part.slot, {}, &ModelFeature::slot);
  if (feature != names.features.end() && feature->slot == part.slot) {
    name = feature_name(names.names, *feature);
    attribute = fmt::format("{}", feature->attribute);
    if (!feature->others.empty())
      attribute = fmt::format("[{},{}]", feature->attribute, fmt::join(feature->others, ","));
  }
  fmt::format_to(std::back_inserter(body), "{{\"attribute\":{}", attribute);
  if (!name.empty()) body += ",\"name\":" + boost::json::serialize(boost::json::string(name));
  fmt::format_to(std::back_inserter(body), ",\"value\":{},\"contribution\":{}}}", number(part.value),
                 number(part.amount));
}

std::string explanation_json(const Explanation& e, const SlotNames& names,
                             std::span<const std::string> classes) {
  std::string body = "{";
  if (e.margin && e.margin->predicted < classes.size() && e.margin->next < classes.size())
    body += fmt::format("\"class\":{},\"next\":{},\"margin\":{},", classes[e.margin->predicted],
                        classes[e.margin->next], number(e.prediction));
  body += fmt::format("\"at_means\":{},\"contributions\":[", number(e.at_means));
  for (const Explanation::Part& part : e.parts) {
    if (body.back() != '[') body += ',';
    add_part(part, names, body);
  }
  return body + fmt::format(
                    "],\"rest\":{},\"unknown\":{},\"clipped\":{},\"variance\":{{\"noise\":{},"
                    "\"unknown\":{}}}}}",
                    number(e.rest), number(e.unknown), number(e.clipped), number(e.noise),
                    number(e.unknown_variance));
}

}  // namespace

SlotNames SlotNames::of(const StreamProcessor& processor, const Solution& solution) {
  SlotNames result;
  result.features = features_of_model(processor.learner(), solution.model, processor.names().categories());
  std::ranges::sort(result.features, {}, &ModelFeature::slot);
  for (Attribute i = 0; i < processor.names().size(); ++i)
    result.names.push_back(shown_name(processor.names().name(i), i));
  return result;
}

Result<std::size_t> read_explain(const HttpRequest& request) {
  const std::string word = query_value(request.query, "explain");
  if (!word.empty() && word != "true" && word != "false")
    return failure(ErrorCode::kInvalidOption, "explain {} must be true or false", in_quotes(word));
  if (!has_key(request.query, "top")) return word == "true" ? kExplainedParts : 0;
  if (word != "true")
    return failure(ErrorCode::kInvalidOption, "top is for explain=true, which says how many parts are told");
  const std::string text = query_value(request.query, "top");
  std::uint64_t top = 0;
  if (!read_index(text, top) || top < 1 || top > kMostTop)
    return failure(ErrorCode::kInvalidOption, "top {} must be a whole number from 1 to {}", in_quotes(text),
                   kMostTop);
  return static_cast<std::size_t>(top);
}

std::size_t most_explained(std::size_t slots, std::size_t top) {
  return std::max<std::size_t>(
      std::min(kMostExplainedFeatures / std::max<std::size_t>(slots, 1), kMostExplainedParts / top), 1);
}

Error too_many_explained(std::size_t most, std::size_t top) {
  return failure(ErrorCode::kTooLarge,
                 "at most {} predictions of this model are explained at once, with top={}: send fewer "
                 "examples in a request",
                 most, top);
}

std::string with_explanations(std::string predictions, const std::vector<Explanation>& explanations,
                              const SlotNames& names, std::span<const std::string> classes) {
  predictions.resize(predictions.rfind('}'));
  predictions += ",\"explanations\":[";
  for (const Explanation& explanation : explanations) {
    if (predictions.back() != '[') predictions += ',';
    predictions += explanation_json(explanation, names, classes);
  }
  return predictions + "]}\n";
}

}  // namespace glimpse
