#include "daemon/api/model_query.h"

#include <charconv>

#include "daemon/api/http_bodies.h"
#include "daemon/api/label_query.h"
#include "data/text/text.h"
#include "learn/options/prices.h"

namespace glimpse {

namespace {

// "true", "false", or nothing, which is false.
std::optional<HttpResponse> read_flag(const HttpRequest& request, const std::string& key, bool& flag) {
  const std::string text = query_value(request.query, key);
  if (!text.empty() && text != "true" && text != "false")
    return error_response(400, "invalid_" + key, key + " " + quoted(text) + " must be true or false");
  flag = text == "true";
  return std::nullopt;
}

std::optional<HttpResponse> read_small_model(const HttpRequest& request, ModelQuery& query) {
  const std::string attributes = query_value(request.query, "attributes");
  const std::string cost = query_value(request.query, "cost");
  if (attributes.empty() && cost.empty()) return std::nullopt;
  SmallModelQuestion question;
  if (!attributes.empty()) {
    const char* const end = attributes.data() + attributes.size();
    const auto read = std::from_chars(attributes.data(), end, question.attributes);
    if (read.ec != std::errc() || read.ptr != end || question.attributes == 0 ||
        question.attributes > SmallModelQuestion::kMostAttributes)
      return error_response(400, "invalid_attributes",
                            "attributes " + quoted(attributes) + " must be a whole number from 1 to " +
                                std::to_string(SmallModelQuestion::kMostAttributes));
  }
  if (!cost.empty()) {
    const auto money = parse_positive_money(cost);
    if (!money) return error_response(400, "invalid_cost", "cost " + money.error().message);
    question.cost = *money;
  }
  if (query.format != "json")
    return error_response(400, "invalid_format",
                          "a small model (attributes, cost) is told as json, not as " + query.format);
  if (query.wish.weight_errors)
    return error_response(400, "invalid_errors",
                          "errors are of the weights of the whole model, not of a small one: leave them out");
  query.small_model = question;
  query.wish.small_models.push_back(question);
  return std::nullopt;
}

}  // namespace

std::optional<HttpResponse> read_model_query(const HttpRequest& request,
                                             const std::vector<std::string>& labels, ModelQuery& query) {
  const auto label = read_label_query(request, labels);
  if (!label) return error_response(label.error());
  query.label = label->value_or(0);
  if (std::string format = query_value(request.query, "format"); !format.empty())
    query.format = std::move(format);
  if (query.format != "json" && query.format != "csv" && query.format != "safetensors")
    return error_response(400, "invalid_format",
                          "format " + quoted(query.format) + " must be json, csv or safetensors");
  if (auto refusal = read_flag(request, "fresh", query.is_fresh)) return refusal;
  if (auto refusal = read_flag(request, "errors", query.wish.weight_errors)) return refusal;
  return read_small_model(request, query);
}

}  // namespace glimpse
