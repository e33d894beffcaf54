#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/api/partial_api.h"
#include "daemon/predictions/class_prediction.h"
#include "daemon/training/stream_processor.h"
#include "learn/core/solving.h"
#include "learn/inference/partial_prediction.h"

namespace glimpse {

/// What PartialApi's predictions and its choices share.

inline constexpr std::size_t kQuickPairs = 20000;  ///< whose arithmetic takes a few milliseconds
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// What is needed of the learner for predictions from parts of examples, copied on the trainer's thread.
struct PartialBasis {
  std::shared_ptr<const Solution> solution;
  double noise = 0;
  std::uint64_t life = 0;  ///< StreamProcessor::life()

  static PartialBasis of(const StreamProcessor& processor, std::size_t label = 0);
  /// Unknown while nothing tells of errors: one example fits any model.
  double standard_error(const PartialPrediction& prediction) const {
    return noise > 0 ? prediction.standard_error(noise) : kUnknown;
  }
};

/// Of a classifier: makes predictions of classes from a basis. `learner` is used for its
/// scores_of_prediction() alone, a function of the prediction. Thread-safety: none.
struct PartialClassifier {
  const Learner* learner = nullptr;  ///< nullptr: there was no example yet
  double slope = 1;
  std::vector<std::string> names;  ///< as JSON
  std::vector<double> scores = {};
  std::vector<double> probabilities = {};

  /// None of a regression. On the trainer's thread.
  static std::optional<PartialClassifier> of(const StreamProcessor& processor);
  /// `rows`: covariances of `known` with `universe`, whose first ones they are; or none. Valid until the
  /// next.
  ClassPrediction predict(const PartialBasis& basis, std::span<const Entry> known,
                          const std::vector<Attribute>& universe, const std::vector<double>& rows);
};

/// rows.size() × columns.size() covariances for each block; left empty where attributes count as independent.
struct PartialApi::Gathering {
  struct Block {
    std::vector<Attribute> rows;
    std::vector<Attribute> columns;
    std::vector<double> covariances;
  };
  PartialBasis basis;
  std::vector<Block> blocks;
  std::function<void(Gathering&)> then;  ///< on the renderer, or where there is time
  std::size_t block = 0;                 ///< and its row: how far it has come
  std::size_t row = 0;
  bool is_quick = true;              ///< what `then` does
  std::shared_ptr<Respond> respond;  ///< where it is not that of a body with a thread of its own
};

/// Row `row` of such a block; none where there are none.
std::span<const double> row_of(const std::vector<double>& rows, std::size_t row, std::size_t columns);
std::vector<Attribute> attributes_of(const std::vector<Entry>& entries);

/// What is known is bounded as Predictor::read() bounds it, and what that leaves out is not known.
void bound_known(std::vector<Entry>& entries, const StreamProcessor& processor);

/// Models with products that say nothing of a part of an example: whole_examples_only().
bool knows_whole_examples_alone(const Learner& learner);

}  // namespace glimpse
