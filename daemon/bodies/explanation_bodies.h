#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "daemon/bodies/model_bodies.h"
#include "daemon/http/http_types.h"
#include "daemon/training/stream_processor.h"
#include "learn/core/solving.h"
#include "learn/inference/explanation.h"

namespace glimpse {

/// What features are called, by their slots.
struct SlotNames {
  /// Of the features of `solution`. O(d): the trainer's thread.
  static SlotNames of(const StreamProcessor& processor, const Solution& solution);

  std::vector<ModelFeature> features;  ///< ascending by slot; empty: each attribute is its own
  std::vector<std::string> names;      ///< of attributes
};

/// A request's reasons: at most so many features are gone through for all its predictions, or one prediction,
/// and at most so many parts are told of. Both take some 100 ms.
inline constexpr std::size_t kMostExplainedFeatures = 4000000;
inline constexpr std::size_t kMostExplainedParts = 200000;
inline constexpr std::size_t kExplainedParts = 20;  ///< of a prediction, where nobody says
inline constexpr std::size_t kMostTop = 1000;

/// What POST /v1/predict asks for: `explain`, and `top` parts a prediction. 0: no reasons. Error
/// (kInvalidOption): another word, a number that is not from 1 to kMostTop.
Result<std::size_t> read_explain(const HttpRequest& request);

/// How many predictions of a model with `slots` features are explained at once, with `top` parts each.
std::size_t most_explained(std::size_t slots, std::size_t top);
/// Why a further one is not.
Error too_many_explained(std::size_t most, std::size_t top);

/// `predictions`, a body of predictions_json(), with the list "explanations" at its end. `classes`: their
/// names, as JSON.
std::string with_explanations(std::string predictions, const std::vector<Explanation>& explanations,
                              const SlotNames& names, std::span<const std::string> classes = {});

}  // namespace glimpse
