#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glimpse::ctl {

/// Predictions as columns of CSV.
struct PredictionTable {
  std::string header;             ///< "prediction,lower,upper"
  std::vector<std::string> rows;  ///< without line ends
};

/// The answer to POST /v1/predict?errors=true as a table. Of numbers: `prediction`, and `lower` and `upper`,
/// the ends of an interval that holds nine labels of ten where errors are normal, empty where they are not
/// known; of several labels `prediction_NAME` and so on of each. Of classes: the likeliest as `prediction`,
/// then `probability`, or `probability_CLASS` or `score_CLASS` of each. Errors: kCorrupt when the body is not
/// what the daemon answers; the message completes "the answer …".
Result<PredictionTable> prediction_table(std::string_view body);

}  // namespace glimpse::ctl
