#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "daemon/feeds/block.h"
#include "daemon/http/http_types.h"

namespace glimpse {

/// The answers of POST /v1/predict of a classifier: {"predictions": [CLASS, …], "classes": [CLASS, …],
/// "probability": [P, …], "margins": [M, …], "probabilities": [[P, …], …], "examples": N}. "probabilities",
/// those of "classes", are "scores" or left out as `?predict=` says. Pure.

/// ?predict=label, probabilities or scores; kUsual: nothing is said. Error (kInvalidOption): another word.
Result<PredictAs> read_predict_as(const HttpRequest& request);
/// Why a regression has nothing of that kind.
std::optional<HttpResponse> refuse_predict_as(PredictAs as, bool is_classifier);

/// One answer has at most so many numbers of classes: 64 MB of text at most.
inline constexpr std::size_t kMostClassNumbers = 4000000;
/// Why there are not `count`.
HttpResponse too_many_class_numbers(std::size_t classes);

/// Why nothing is predicted where no class is known.
HttpResponse no_class_yet();

/// Why a prediction of a class has no explanation.
Error error_of_class_reasons();

/// Names as JSON strings.
std::vector<std::string> class_names_json(std::span<const std::string> names);

/// Predicted classes, by their codes, with commas between them, and before the first unless `is_first`; null
/// where `names` has none.
std::string class_predictions_json(const std::vector<double>& codes, std::span<const std::string> names,
                                   bool is_first);
/// What stands behind them, from the end of their list to predictions_json_end(). `names`: as many as classes
/// of the model.
std::string class_numbers_json(const ClassifiedRecords& records, std::span<const std::string> names,
                               PredictAs as);

}  // namespace glimpse
