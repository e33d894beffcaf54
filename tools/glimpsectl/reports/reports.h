#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "glimpsectl/input/piece_reading.h"

namespace glimpse::ctl {

/// The answers of the daemon as people read them. Pure functions from the text of a body to text. Fields that
/// are unknown are shown, missing ones are left out. Errors: kCorrupt when the body is not what the daemon
/// answers; the message completes "the answer …".

/// GET /v1/status: every field, the progressive loss together with its error.
Result<std::string> status_report(std::string_view body);

/// Any other object, such as the answer to POST /v1/checkpoint.
Result<std::string> plain_report(std::string_view body);

/// POST /v1/predict: one prediction a line, digit by digit as the server wrote it; nan for null. Where the
/// answer has standard errors, as it has for what is known of examples, each stands behind its prediction. Of
/// classes: class_prediction_lines().
Result<std::string> prediction_lines(std::string_view body);

/// Words of an attribute that holds numbers, which counted as missing.
struct OddColumn {
  std::string attribute;
  std::uint64_t count = 0;
  std::string first;
  std::uint64_t line = 0;  ///< of the first in the body, from 1
};

/// POST /v1/learn; also an error that has the counts, as no example of the body could be read.
struct LearnReply {
  std::uint64_t accepted = 0;
  std::uint64_t skipped = 0;  ///< examples that lack an attribute of their plan, and those that were not
                              ///< to be learned
  std::uint64_t beyond_budget = 0;  ///< of these: --total-budget or --total-cost is spent
  std::uint64_t frozen = 0;         ///< and of these: the model is frozen
  std::uint64_t held_out = 0;       ///< predicted and not learned (--hold-out)
  std::uint64_t unlabelled = 0;     ///< examples without a label
  std::vector<OddColumn> odd;       ///< words where numbers are, which counted as missing
  std::uint64_t error_count = 0;    ///< all refused; the list below may be shorter
  struct Refused {
    std::uint64_t line = 0;  ///< in the file, from 1; 0 when not told
    std::string message;
  };
  std::vector<Refused> errors;
  std::optional<TableReply> table;  ///< of a body that holds one
};
Result<LearnReply> parse_learn_reply(std::string_view body);

/// What the answer to POST /v1/predict tells beside the predictions.
struct PredictionFacts {
  std::optional<TableReply> table;        ///< that its body held; nothing: it held none
  std::optional<std::uint64_t> examples;  ///< of the model
  std::vector<OddColumn> odd = {};        ///< words where numbers are, which counted as missing
};
Result<PredictionFacts> facts_of_predictions(std::string_view body);

/// Predictions as columns of CSV.
struct PredictionTable {
  std::string header;             ///< "prediction,lower,upper"
  std::vector<std::string> rows;  ///< without line ends
};

/// The answer to POST /v1/predict?errors=true as a table. Of numbers: `prediction`, and `lower` and `upper`,
/// the ends of an interval that holds nine labels of ten where errors are normal (of few examples by
/// Student's t), empty where they are not known; of several labels `prediction_NAME` and so on of each. Of
/// classes: the likeliest as `prediction`, then `probability`, or `probability_CLASS` or `score_CLASS` of
/// each. Errors: kCorrupt when the body is not what the daemon answers; the message completes "the answer …".
Result<PredictionTable> prediction_table(std::string_view body);

/// POST /v1/predict?explain=true as people read it: for each example its prediction, and a table of what adds
/// up to it, the largest contribution first. `before`: examples that were shown already, to which these are
/// added. `lines`: of a file, on which they stand; none: they are counted. Errors: kCorrupt when the body is
/// not what the daemon answers; the message completes "the answer …".
Result<std::string> explained_predictions(std::string_view body, std::uint64_t& before,
                                          const std::vector<std::uint64_t>& lines = {});

/// GET /v1/checkpoints: a table of name, examples, size and time (UTC), in the daemon's order. Pure. Errors:
/// kCorrupt when the body is not what the daemon answers; the message completes "the answer …".
Result<std::string> checkpoints_report(std::string_view body);

}  // namespace glimpse::ctl
