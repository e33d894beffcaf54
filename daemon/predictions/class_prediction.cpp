#include "daemon/predictions/class_prediction.h"

#include <fmt/format.h>
#include <iterator>

#include <boost/json.hpp>

#include "data/text/text.h"

namespace glimpse {

void add_to(ClassifiedRecords& records, const ClassPrediction& prediction, PredictAs as) {
  records.probabilities.push_back(prediction.probability());
  records.margins.push_back(prediction.margin());
  records.classes = prediction.classes();
  if (as == PredictAs::kLabel) return;
  const auto numbers = as == PredictAs::kScores ? prediction.scores : prediction.probabilities;
  records.numbers.insert(records.numbers.end(), numbers.begin(), numbers.end());
}

std::string class_text(std::string_view name) {
  const auto is_odd = [](char c) { return c == ' ' || c == ':' || static_cast<unsigned char>(c) < ' '; };
  if (!name.empty() && name.front() != '"' && std::ranges::none_of(name, is_odd)) return std::string(name);
  return boost::json::serialize(boost::json::string(valid_utf8(std::string(name))));
}

void append_reply(std::string& text, const ClassPrediction& prediction, std::span<const std::string> names,
                  PredictAs as) {
  if (prediction.classes() == 0) {
    text += '?';
    return;
  }
  if (as == PredictAs::kLabel) {
    fmt::format_to(std::back_inserter(text), "{} {:.6g}", class_text(names[prediction.predicted]),
                   prediction.probability());
    return;
  }
  const auto numbers = as == PredictAs::kScores ? prediction.scores : prediction.probabilities;
  for (std::size_t c = 0; c < numbers.size(); ++c)
    fmt::format_to(std::back_inserter(text), "{}{}:{:.6g}", c == 0 ? "" : " ", class_text(names[c]),
                   numbers[c]);
}

}  // namespace glimpse
