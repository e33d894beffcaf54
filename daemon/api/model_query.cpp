#include "daemon/api/model_query.h"

#include "daemon/api/http_bodies.h"

namespace glimpse {

namespace {

// "true", "false", or nothing, which is false.
std::optional<HttpResponse> read_flag(const HttpRequest& request, const std::string& key, bool& flag) {
  const std::string text = query_value(request.query, key);
  if (!text.empty() && text != "true" && text != "false")
    return error_response(400, "invalid_" + key, key + " '" + text + "' must be true or false");
  flag = text == "true";
  return std::nullopt;
}

}  // namespace

std::optional<HttpResponse> read_model_query(const HttpRequest& request, ModelQuery& query) {
  if (std::string format = query_value(request.query, "format"); !format.empty())
    query.format = std::move(format);
  if (query.format != "json" && query.format != "csv" && query.format != "safetensors")
    return error_response(400, "invalid_format",
                          "format '" + query.format + "' must be json, csv or safetensors");
  if (auto refusal = read_flag(request, "fresh", query.is_fresh)) return refusal;
  return read_flag(request, "errors", query.wish.weight_errors);
}

}  // namespace glimpse
