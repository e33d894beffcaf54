#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/basic_parser.hpp>

#include "base/result.h"
#include "base/types.h"
#include "data/records/attribute_names.h"

namespace glimpse {

/// One attribute of an NDJSON example, before its number is converted and its name looked up.
struct NdjsonFeature {
  std::string_view name;    ///< empty when the index was given, as a key or by the place in an array
  Attribute attribute;      ///< the index, when it was given
  std::string_view number;  ///< its text; empty: null, that is missing, or a string
  std::string_view word{};  ///< a string; a missing one, as "" and "NA", is as null
};

/// One of several labels.
struct NdjsonLabel {
  std::string_view name;
  std::string_view number;  ///< empty: null
};

/// One NDJSON example, as views into the record or into the grammar that read it.
struct NdjsonExample {
  std::string_view label;       ///< empty: none, or null, or a string
  std::string_view label_word;  ///< a string
  /// The members of "labels": up to one more than there may be, so that one of them is another's or given
  /// twice.
  std::vector<NdjsonLabel> labels;
  bool has_labels = false;
  std::string_view importance;  ///< empty: none
  std::string_view tag;
  bool is_dense = false;  ///< features[a] is attribute a
  std::vector<NdjsonFeature> features;

  /// Keeps the memory.
  void clear() {
    label = label_word = importance = tag = {};
    labels.clear();
    has_labels = is_dense = false;
    features.clear();
  }
};

/// A string as a value or a label: `number` becomes the number that it holds, or `word` the word, and neither
/// changes where it is a mark for a missing value.
void give_text(std::string_view text, std::string_view& number, std::string_view& word);

/// What an example looks like in JSON, as a handler for boost::json::basic_parser, which calls it for every
/// token:
///
///     {"label": number|string|null, "labels": {name: number|null, …}, "importance": number, "tag":
///     string|null, "values": {key: value, …} | [value, …]} [value, …]        value: number|string|null
///
/// or flat, where each key is a column's name: {key: value, …}. A value may be true or false, which are 1 and
/// 0. All but "values" may be left out; an array has as many elements as there are attributes. Numbers stay
/// text: only those asked for are converted, and Boost 1.81's own conversion is not exactly rounded.
/// Thread-safety: none. Memory is reused.
class NdjsonGrammar {
 public:
  /// `labels`: how many "labels" there may be.
  NdjsonGrammar(std::size_t dimension, std::size_t labels) : dimension_(dimension), labels_(labels) {}

  /// Forgets the example; `record` is the text of the next.
  void begin(std::string_view record);

  /// Keys of digits that are a name mean the attribute called so from now on. `names` outlive this.
  void prefer_names(const AttributeNames* names) { names_ = names; }

  /// Keys that are passed over, with whatever stands behind them. They outlive this.
  void ignore(const std::vector<std::string>* keys) { ignored_ = keys; }

  /// Whether examples are flat from now on.
  void set_flat(bool is_flat) { is_flat_ = is_flat; }

  /// Complete once the parser is done without error.
  NdjsonExample& example() { return example_; }

  /// Why this object stopped the parser; empty when the parser stopped by itself.
  const std::string& complaint() const { return complaint_; }

  // What basic_parser asks of a handler.
  using Code = boost::json::error_code;
  using View = boost::json::string_view;
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_object_begin(Code& code);
  bool on_object_end(std::size_t count, Code& code);
  bool on_array_begin(Code& code);
  bool on_array_end(std::size_t count, Code& code);
  bool on_key_part(View text, std::size_t, Code&) { return keep_part(text); }
  bool on_key(View text, std::size_t, Code& code);
  bool on_string_part(View text, std::size_t, Code&) { return keep_part(text); }
  bool on_string(View text, std::size_t, Code& code);
  bool on_number_part(View text, Code&) { return keep_part(text); }
  bool on_int64(std::int64_t, View text, Code& code) { return on_number(text, code); }
  bool on_uint64(std::uint64_t, View text, Code& code) { return on_number(text, code); }
  bool on_double(double, View text, Code& code) { return on_number(text, code); }
  bool on_bool(bool value, Code& code);
  bool on_null(Code& code);
  bool on_comment_part(View, Code&) { return true; }
  bool on_comment(View, Code&) { return true; }

 private:
  enum class Place { kOutside, kExample, kLabels, kValuesObject, kValuesArray };
  enum Member : unsigned { kLabel = 1, kImportance = 2, kTag = 4, kValues = 8, kSeveral = 16 };

  bool on_number(View text, Code& code);
  bool add_number(std::string_view number, std::string_view type, Code& code);
  bool on_example_key(std::string_view key, Code& code);
  void on_labels_key(std::string_view key);
  bool on_values_key(std::string_view key, Code& code);
  bool is_too_long(Code& code);
  void add_value(std::string_view number, std::string_view word);
  bool is_ignored(std::string_view key) const;
  bool skips(int deeper);
  bool keep_part(View text);
  std::string_view whole_text(View last_part);
  bool wrong_type(std::string_view type, Code& code);
  bool complain(Code& code, std::string message);

  const std::size_t dimension_;
  const std::size_t labels_;
  const std::vector<std::string>* ignored_ = nullptr;
  bool is_flat_ = false;
  const AttributeNames* names_ = nullptr;  // some are numbers; nullptr: none is

  NdjsonExample example_;
  Place place_ = Place::kOutside;
  unsigned members_ = 0;    // those that the example has given so far
  Member member_ = kLabel;  // the one whose value is next
  bool is_bare_array_ = false;
  bool is_skipped_ = false;   // the value that is next, or all that are inside it
  int skipped_depth_ = 0;     // brackets that are open in it
  std::size_t numbered_ = 0;  // values that are told by their index
  NdjsonFeature next_{};      // the feature whose value is next, in an object
  std::string_view key_;      // its key as written, for complaints
  std::string_view record_;
  std::string text_;  // text with escapes, decoded; with room for the whole record, so that it never moves
  std::size_t part_ = 0;  // where in text_ the parts of the present text begin
  std::string complaint_;
};

}  // namespace glimpse
