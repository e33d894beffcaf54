#include "daemon/api/query.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

#include <boost/json.hpp>

#include "daemon/api/http_bodies.h"
#include "data/records/table_layout.h"
#include "data/text/encoding.h"
#include "data/text/number.h"
#include "data/text/text.h"
#include "learn/options/prices.h"

namespace glimpse {

std::optional<HttpResponse> read_flag(const HttpRequest& request, const std::string& key, bool& flag) {
  const std::string text = query_value(request.query, key);
  if (!text.empty() && text != "true" && text != "false")
    return error_response(400, "invalid_" + key, key + " " + in_quotes(text) + " must be true or false");
  flag = text == "true";
  return std::nullopt;
}

namespace {

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
                            "attributes " + in_quotes(attributes) + " must be a whole number from 1 to " +
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

std::optional<HttpResponse> read_top(const HttpRequest& request, std::size_t& top) {
  if (!has_key(request.query, "top")) return std::nullopt;
  const std::string text = query_value(request.query, "top");
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, top);
  if (read.ec == std::errc() && read.ptr == end && top > 0) return std::nullopt;
  return error_response(400, "invalid_top", "top " + in_quotes(text) + " must be a whole number from 1");
}

std::optional<HttpResponse> read_model_query(const HttpRequest& request,
                                             const std::vector<std::string>& labels, ModelQuery& query) {
  const auto label = read_label_query(request, labels);
  if (!label) return error_response(label.error());
  query.label = label->value_or(0);
  if (std::string format = query_value(request.query, "format"); !format.empty())
    query.format = std::move(format);
  if (query.format != "json" && query.format != "csv" && query.format != "safetensors" &&
      query.format != "table")
    return error_response(400, "invalid_format",
                          "format " + in_quotes(query.format) + " must be json, csv, safetensors or table");
  if (auto refusal = read_top(request, query.top)) return refusal;
  if (auto refusal = read_flag(request, "fresh", query.is_fresh)) return refusal;
  if (auto refusal = read_flag(request, "errors", query.wish.weight_errors)) return refusal;
  return read_small_model(request, query);
}

std::string label_text(const std::string& name) {
  return boost::json::serialize(boost::json::string(valid_utf8(name)));
}

Result<std::size_t> find_label(const std::string& name, const std::vector<std::string>& labels) {
  if (labels.size() < 2)
    return failure(ErrorCode::kInvalidOption,
                   "label {}: there is one label here; --label NAME,NAME names several", in_quotes(name));
  const auto place = std::ranges::find(labels, name);
  if (place == labels.end())
    return failure(ErrorCode::kInvalidOption, "no label is called {}; there are {}", in_quotes(name),
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

namespace {

Result<Format> body_format(const HttpRequest& request) {
  const std::string name = query_value(request.query, "format");
  if (!name.empty() && name != "json") return parse_format(name);
  const std::string_view body = trimmed(request.body);
  const Format seems = detect_format(body.substr(0, body.find('\n')));
  if (name.empty() && seems != Format::kNdjson && seems != Format::kAuto)
    return failure(
        ErrorCode::kInvalidInput,
        "the body is no JSON object or array; it begins as {} does: say so with ?format={}, or with "
        "another of svmlight, vw, csv, f32 and npy",
        name_of(seems), name_of(seems));
  return Format::kNdjson;
}

Result<HeaderChoice> header_choice(const std::string& word) {
  if (word == "yes") return HeaderChoice::kYes;
  if (word == "no") return HeaderChoice::kNo;
  if (word == "auto") return HeaderChoice::kAuto;
  return failure(ErrorCode::kInvalidOption, "header {} must be yes, no or auto", in_quotes(word));
}

// What says how rows are divided.
Status read_table(const HttpRequest& request, BodyReading& reading) {
  if (has_key(request.query, "header")) {
    GLIMPSE_TRY_ASSIGN(reading.header, header_choice(query_value(request.query, "header")));
  }
  if (has_key(request.query, "delimiter")) {
    const std::string word = query_value(request.query, "delimiter");
    reading.delimiter = delimiter_of_word(word);
    if (!reading.delimiter)
      return failure(ErrorCode::kInvalidOption, "delimiter {} must be ',', ';', '|', tab or space",
                     in_quotes(word));
  }
  if (reading.says_table() && reading.format != Format::kCsv && reading.format != Format::kAuto)
    return failure(ErrorCode::kInvalidOption, "{} is for tables (format=csv), and the format is {}",
                   reading.header ? "header" : "delimiter", name_of(reading.format));
  return {};
}

Status read_first_line(const HttpRequest& request, BodyReading& reading) {
  if (!has_key(request.query, "first_line")) return {};
  const std::string text = query_value(request.query, "first_line");
  // No body has so many lines that their numbers overflow.
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() / 2;
  if (!read_index(text, reading.first_line) || reading.first_line < 1 || reading.first_line > kMost)
    return failure(ErrorCode::kInvalidOption, "first_line {} must be a whole number from 1 to {}",
                   in_quotes(text), kMost);
  return {};
}

}  // namespace

Result<BodyReading> body_reading(const HttpRequest& request) {
  BodyReading reading;
  GLIMPSE_TRY_ASSIGN(reading.format, body_format(request));
  if (has_key(request.query, "absent")) {
    GLIMPSE_TRY_ASSIGN(reading.absent, parse_absent(query_value(request.query, "absent")));
  }
  GLIMPSE_TRY(read_table(request, reading));
  GLIMPSE_TRY(read_first_line(request, reading));
  const std::string odd = query_value(request.query, "odd");
  reading.takes_odd = odd == "missing";
  if (!odd.empty() && odd != "missing" && odd != "refuse")
    return failure(ErrorCode::kInvalidOption, "odd {} must be missing or refuse", in_quotes(odd));
  const std::string others = query_value(request.query, "others");
  reading.ignores_others = others == "ignore";
  if (!others.empty() && others != "ignore" && others != "refuse")
    return failure(ErrorCode::kInvalidOption, "others {} must be ignore or refuse", in_quotes(others));
  return reading;
}

std::string body_as_utf8(std::string body, Format format) {
  constexpr std::size_t kBeginning = 4096;
  const Encoding encoding = format == Format::kF32 || format == Format::kNpy
                                ? Encoding::kUtf8
                                : detect_encoding(std::string_view(body).substr(0, kBeginning));
  if (encoding != Encoding::kUtf16Le && encoding != Encoding::kUtf16Be) return body;
  std::string text;
  append_as_utf8(std::string_view(body).substr(mark_length(body, encoding)), encoding, text);
  return text;
}

Result<bool> wants_durable(const HttpRequest& request, const Checkpointer& checkpointer) {
  const std::string text = query_value(request.query, "durable");
  if (text.empty() || text == "false") return false;
  if (text == "true" && !checkpointer.status().enabled)
    return failure(ErrorCode::kUnavailable,
                   "durable=true needs checkpoints: start with --state-directory DIR");
  if (text == "true") return true;
  return failure(ErrorCode::kInvalidInput, "durable {} must be true or false", in_quotes(text));
}

HttpResponse not_durable(const Error& error) {
  return error_response(
      503, "not_durable",
      fmt::format("what was asked is done in memory and not saved, as no checkpoint could be written: {}; "
                  "a restart would lose it: POST /v1/checkpoint once the cause is gone",
                  error.message));
}

}  // namespace glimpse
