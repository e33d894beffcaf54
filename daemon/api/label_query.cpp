#include "daemon/api/label_query.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/json.hpp>

#include "daemon/api/http_bodies.h"
#include "data/text/text.h"

namespace glimpse {

std::string label_text(const std::string& name) {
  return boost::json::serialize(boost::json::string(valid_utf8(name)));
}

Result<std::size_t> find_label(const std::string& name, const std::vector<std::string>& labels) {
  if (labels.size() < 2)
    return failure(ErrorCode::kInvalidOption,
                   "label {}: there is one label here; --label NAME,NAME names several", quoted(name));
  const auto place = std::ranges::find(labels, name);
  if (place == labels.end())
    return failure(ErrorCode::kInvalidOption, "no label is called {}; there are {}", quoted(name),
                   fmt::join(labels, ", "));
  return static_cast<std::size_t>(place - labels.begin());
}

Result<std::optional<std::size_t>> read_label_query(const HttpRequest& request,
                                                    const std::vector<std::string>& labels) {
  if (!has_key(request.query, "label")) return std::optional<std::size_t>();
  GLIMPSE_TRY_ASSIGN(const auto label, find_label(query_value(request.query, "label"), labels));
  return std::optional(label);
}

HttpResponse partial_needs_label() {
  return error_response(400, "invalid_label",
                        "a prediction from known values is of one label: add label=NAME to the path");
}

std::string with_label(std::string body, const std::vector<std::string>& labels, std::size_t label) {
  if (labels.size() < 2 || body.empty()) return body;
  return fmt::format("{{\"label\":{},{}", label_text(labels[label]), std::string_view(body).substr(1));
}

std::string label_predictions_json(const std::vector<LabelPredictions>& predictions,
                                   const std::vector<std::string>& labels) {
  const auto object = [&](const auto& numbers_of) {
    std::string text;
    for (std::size_t l = 0; l < predictions.size(); ++l)
      text += fmt::format("{}{}:[{}]", l > 0 ? "," : "{", label_text(labels[l]),
                          numbers_json(numbers_of(predictions[l]), true));
    return text + "}";
  };
  std::string text =
      "{\"predictions\":" +
      object([](const LabelPredictions& of) -> const std::vector<double>& { return of.predictions; });
  if (std::ranges::all_of(predictions, [](const LabelPredictions& of) { return of.standard_errors.empty(); }))
    return text;
  return text + ",\"standard_errors\":" + object([](const LabelPredictions& of) {
           std::vector<double> errors = of.standard_errors;
           errors.resize(of.predictions.size(), of.error_of_complete);
           return errors;
         });
}

}  // namespace glimpse
