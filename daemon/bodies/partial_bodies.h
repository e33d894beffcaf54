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
#include "daemon/http/http_types.h"
#include "data/records/attribute_names.h"
#include "data/records/example_reader.h"
#include "json/json_elements.h"
#include "json/json_nodes.h"
#include "learn/options/prices.h"

namespace glimpse {

// What is sent and answered where some attributes of an example are known and the others are not, as JSON.
// Pure.

/// An attribute as a body calls it, with its value.
struct KnownValue {
  std::string attribute;
  std::string text;        ///< of the number or of the word
  bool is_number = false;  ///< which it is
  double value = 0;        ///< of the number
};
using KnownValues = std::vector<KnownValue>;

/// At most so many known values: conditioning on n of them takes n³/6 steps.
inline constexpr std::size_t kMostKnown = 1000;

/// Reads the object at node `n`, {"17": 0.5, "age": 3}; null: not known. Errors: kInvalidInput; kTooLarge
/// where more than kMostKnown are known.
Result<KnownValues> read_known(const JsonNodes& json, std::size_t n);

/// Whether a body of POST /v1/predict holds examples {"known": {...}}: one, a JSON array, or one a line. The
/// first example says it for all. An incomplete array gives false: the reader of whole examples handles it.
/// O(body).
bool holds_partial_examples(std::string_view body);

/// Reads these examples, some at a time. Thread-safety: none.
class PartialExamples {
 public:
  /// `body` outlives this.
  explicit PartialExamples(std::string_view body) : texts_(body), json_(kMostJsonNodes) {}

  /// The next ones, until they have `least` bytes; none at the end. Errors, which name the example:
  /// kInvalidInput, kTooLarge as read_known().
  Result<std::vector<KnownValues>> next(std::size_t least);

 private:
  Result<KnownValues> read(std::string_view text);

  JsonTexts texts_;
  JsonNodes json_;
  std::string arena_;
  std::size_t count_ = 0;
};

/// What is known of an example, by the numbers of its attributes, ascending.
struct ResolvedKnown {
  std::vector<Entry> entries;    ///< values; of categories their codes, and none for a word that is not known
  std::vector<Attribute> given;  ///< all, also those with such a word
};

/// Errors (kInvalidInput): unknown, twice, out of range, a word where there are numbers.
Result<ResolvedKnown> resolve_known(const KnownValues& known, const AttributeNames& names);

/// What to obtain next for one prediction.
struct NextAttributes {
  /// One attribute to obtain.
  struct Choice {
    Attribute attribute = 0;
    std::string name;
    Money cost = 0;
    double standard_error = 0;  ///< once it and those before are known
    double gain = 0;            ///< of a classifier: by how much the expected loss falls, PartialClasses
  };
  std::vector<Choice> choices;
  double prediction = 0;      ///< from what is known now
  double standard_error = 0;  ///< now
  /// Of a classifier there are no standard errors, and the prediction is a class, as JSON, with a
  /// probability.
  bool is_class = false;
  std::string predicted_class = {};
  double probability = 0;
};
std::string next_attributes_json(const NextAttributes& next);

/// 409: the learner knows nothing from a part of an example.
HttpResponse whole_examples_only();

}  // namespace glimpse
