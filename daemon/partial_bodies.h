#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "daemon/json_nodes.h"
#include "data/attribute_names.h"
#include "data/example_reader.h"
#include "learn/prices.h"

namespace glimpse {

// What is sent and answered where some attributes of an example are known and the others are not, as JSON.
// Pure.

/// Attributes as a body calls them, with their values.
using KnownValues = std::vector<std::pair<std::string, double>>;

/// At most so many known values: conditioning on n of them takes n³/6 steps.
inline constexpr std::size_t kMostKnown = 1000;

/// Reads the object at node `n`, {"17": 0.5, "age": 3}; null: not known. Errors (kInvalidInput).
Result<KnownValues> read_known(const JsonNodes& json, std::size_t n);

/// The body of POST /v1/predict where its examples are {"known": {...}}: one, a JSON array, or one a line.
/// None where the first has no such member: whole examples. Errors (kInvalidInput) name the example.
Result<std::optional<std::vector<KnownValues>>> read_partial_examples(std::string_view body);

/// The attributes, ascending, with their values. Errors (kInvalidInput): unknown, twice, too many, out of
/// range.
Result<std::vector<Entry>> resolve_known(const KnownValues& known, const AttributeNames& names);

/// Predictions with their standard errors; NaN becomes null.
std::string partial_predictions_json(const std::vector<double>& predictions,
                                     const std::vector<double>& standard_errors, std::uint64_t examples);

/// What to obtain next for one prediction.
struct NextAttributes {
  struct Choice {
    Attribute attribute = 0;
    std::string name;
    Money cost = 0;
    double standard_error = 0;  ///< once it and those before are known
  };
  std::vector<Choice> choices;
  double prediction = 0;      ///< from what is known now
  double standard_error = 0;  ///< now
};
std::string next_attributes_json(const NextAttributes& next);

}  // namespace glimpse
