#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace glimpse {

/// An attribute, by its name or else its number, or, as a number in JSON, by its number.
struct CalledAttribute {
  std::string text;
  bool is_number = false;
};

/// What somebody tells of a plan. An attribute is called by name or number.
struct Told {
  /// The value of one attribute.
  struct Value {
    std::string_view attribute;  ///< empty: by its place in the plan
    double value = 0;            ///< NaN: refused, or a word
    std::string_view text = {};  ///< of the number or the word; empty: refused
  };
  std::string_view id;
  std::optional<double> label;  ///< NaN: a word
  std::string_view label_text;  ///< of the number or the word
  std::optional<double> importance;
  bool has_labels = false;       ///< several are told, each by its name
  std::size_t labels_begin = 0;  ///< of TellBatch::labels
  std::size_t labels_end = 0;
  bool has_values = false;
  bool in_plan_order = false;    ///< values are an array
  std::size_t values_begin = 0;  ///< of TellBatch::values
  std::size_t values_end = 0;
  std::size_t refused_begin = 0;  ///< of TellBatch::refused
  std::size_t refused_end = 0;
  std::string error;  ///< the item could not be read
};

/// Items that came together. Views are of `arena`.
struct TellBatch {
  std::vector<Told> items;
  std::vector<Told::Value> values;
  std::vector<Told::Value> labels;  ///< by name in place of an attribute; without a text: not told yet
  std::vector<CalledAttribute> refused;
  std::string arena;
};

}  // namespace glimpse
