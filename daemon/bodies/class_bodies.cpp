#include "daemon/bodies/class_bodies.h"

#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include <boost/json.hpp>

#include "data/text/text.h"

namespace glimpse {

namespace {

void append(std::string& text, std::span<const double> numbers) {
  bool is_first = true;
  for (const double value : numbers) {
    if (!std::exchange(is_first, false)) text += ',';
    if (std::isfinite(value))
      fmt::format_to(std::back_inserter(text), "{}", value);
    else
      text += "null";
  }
}

}  // namespace

Result<PredictAs> read_predict_as(const HttpRequest& request) {
  const std::string word = query_value(request.query, "predict");
  if (word == "label") return PredictAs::kLabel;
  if (word == "scores") return PredictAs::kScores;
  if (word == "probabilities") return PredictAs::kProbabilities;
  if (!has_key(request.query, "predict")) return PredictAs::kUsual;
  return failure(ErrorCode::kInvalidOption, "predict {} must be label, probabilities or scores",
                 in_quotes(word));
}

HttpResponse too_many_class_numbers(std::size_t classes) {
  return error_response(
      413, "too_large",
      fmt::format("the answer would have more than {} numbers, {} for each example: ask with predict=label, "
                  "or send fewer examples",
                  kMostClassNumbers, classes));
}

std::optional<HttpResponse> refuse_predict_as(PredictAs as, bool is_classifier) {
  if (is_classifier || as == PredictAs::kLabel || as == PredictAs::kUsual) return std::nullopt;
  return error_response(
      400, "invalid_request",
      fmt::format(
          "predict={} is of classes, and labels are numbers: ask without it (--task classes, at a start "
          "on an empty state, makes classes of numbers)",
          as == PredictAs::kScores ? "scores" : "probabilities"));
}

HttpResponse no_class_yet() {
  return error_response(
      409, "no_class",
      "no class has come yet that could be predicted: send labelled examples first, or start "
      "with --classes NAMES");
}

Error error_of_class_reasons() {
  return failure(
      ErrorCode::kInvalidInput,
      "labels are classes: their margins have an explanation of \"values\" by pairwise and pairwise-screened "
      "alone, without products, and of two classes at least; there is no explanation here, ask without "
      "explain");
}

std::vector<std::string> class_names_json(std::span<const std::string> names) {
  std::vector<std::string> texts;
  for (const std::string& name : names)
    texts.push_back(boost::json::serialize(boost::json::string(valid_utf8(name))));
  return texts;
}

std::string class_predictions_json(const std::vector<double>& codes, std::span<const std::string> names,
                                   bool is_first) {
  std::string text;
  for (const double code : codes) {
    if (!std::exchange(is_first, false)) text += ',';
    const auto c = static_cast<std::size_t>(code);
    text += c < names.size() ? names[c] : "null";
  }
  return text;
}

std::string class_numbers_json(const ClassifiedRecords& records, std::span<const std::string> names,
                               PredictAs as) {
  std::string text = fmt::format("],\"classes\":[{}],\"probability\":[", fmt::join(names, ","));
  append(text, records.probabilities);
  text += "],\"margins\":[";
  append(text, records.margins);
  if (as == PredictAs::kLabel) return text;
  text += as == PredictAs::kScores ? "],\"scores\":[" : "],\"probabilities\":[";
  for (std::size_t begin = 0; begin < records.numbers.size(); begin += records.classes) {
    text += begin == 0 ? "[" : ",[";
    append(text, std::span(records.numbers).subspan(begin, records.classes));
    text += ']';
  }
  return text;
}

}  // namespace glimpse
