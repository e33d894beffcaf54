#include "data/formats/ndjson_grammar.h"

#include <algorithm>
#include <functional>

#include <boost/json/error.hpp>

#include "data/formats/csv_cells.h"
#include "data/records/attribute_names.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

void give_text(std::string_view text, std::string_view& number, std::string_view& word) {
  text = trimmed(text);
  double value = 0;
  if (read_number(text, value))
    number = text;
  else if (!is_missing_cell(text))
    word = text;
}

void NdjsonGrammar::begin(std::string_view record) {
  example_.clear();
  place_ = Place::kOutside;
  members_ = 0;
  numbered_ = 0;
  is_bare_array_ = false;
  is_skipped_ = false;
  skipped_depth_ = 0;
  record_ = record;
  text_.clear();
  text_.reserve(record.size());
  part_ = 0;
  complaint_.clear();
}

bool NdjsonGrammar::is_ignored(std::string_view key) const {
  return ignored_ != nullptr && std::ranges::find(*ignored_, key) != ignored_->end();
}

// Whether a token is part of a value that is passed over. `deeper`: brackets that it opens, or -1.
bool NdjsonGrammar::skips(int deeper) {
  if (!is_skipped_) return false;
  skipped_depth_ += deeper;
  is_skipped_ = skipped_depth_ > 0;
  return true;
}

bool NdjsonGrammar::on_object_begin(Code& code) {
  if (skips(1)) return true;
  if (place_ == Place::kOutside) {
    place_ = is_flat_ ? Place::kValuesObject : Place::kExample;
  } else if (place_ == Place::kExample && member_ == kValues) {
    place_ = Place::kValuesObject;
  } else if (place_ == Place::kExample && member_ == kSeveral) {
    place_ = Place::kLabels;
    example_.has_labels = true;
  } else {
    return wrong_type("an object", code);
  }
  return true;
}

bool NdjsonGrammar::on_object_end(std::size_t, Code& code) {
  if (skips(-1)) return true;
  if (is_flat_) {
    place_ = Place::kOutside;
    return true;
  }
  if (place_ == Place::kValuesObject || place_ == Place::kLabels) {
    place_ = Place::kExample;
    return true;
  }
  place_ = Place::kOutside;
  if ((members_ & kValues) == 0) return complain(code, "an example needs the key 'values'");
  return true;
}

bool NdjsonGrammar::on_array_begin(Code& code) {
  if (skips(1)) return true;
  if (place_ == Place::kOutside) {
    is_bare_array_ = true;
  } else if (place_ != Place::kExample || member_ != kValues) {
    return wrong_type("an array", code);
  }
  place_ = Place::kValuesArray;
  example_.is_dense = true;
  return true;
}

bool NdjsonGrammar::on_array_end(std::size_t count, Code& code) {
  if (skips(-1)) return true;
  place_ = is_bare_array_ ? Place::kOutside : Place::kExample;
  if (count == dimension_) return true;
  return complain(code, fmt::format("the array of values has {} elements; a model of dimension {} needs {}",
                                    count, dimension_, dimension_));
}

bool NdjsonGrammar::on_key(View text, std::size_t, Code& code) {
  const std::string_view key = whole_text(text);
  if (is_skipped_) return true;
  if (place_ == Place::kLabels) {
    on_labels_key(key);
    return true;
  }
  return place_ == Place::kExample ? on_example_key(key, code) : on_values_key(key, code);
}

void NdjsonGrammar::on_labels_key(std::string_view key) {
  key_ = key;
  if (example_.labels.size() <= labels_) example_.labels.push_back({key, {}});
}

bool NdjsonGrammar::on_example_key(std::string_view key, Code& code) {
  if (key == "label") {
    member_ = kLabel;
  } else if (key == "labels") {
    member_ = kSeveral;
  } else if (key == "importance") {
    member_ = kImportance;
  } else if (key == "tag") {
    member_ = kTag;
  } else if (key == "values") {
    member_ = kValues;
  } else {
    is_skipped_ = is_ignored(key);
    if (is_skipped_) return true;
    return complain(code,
                    fmt::format("unknown key {}: an example has the keys label, importance, tag and values: "
                                "--ignore {} passes it over",
                                in_quotes(key), in_quotes(key)));
  }
  if ((members_ & member_) != 0) return complain(code, fmt::format("the key '{}' is given twice", key));
  members_ |= member_;
  return true;
}

bool NdjsonGrammar::on_values_key(std::string_view key, Code& code) {
  is_skipped_ = is_ignored(key);
  if (is_skipped_) return true;
  if (key.empty())
    return complain(code, is_flat_ ? "a key is empty: it must be a name"
                                   : "a key of 'values' is empty: it must be an index or a name");
  key_ = key;
  next_ = {key, 0, {}};
  std::uint64_t index = 0;
  if (is_flat_ || !read_index(key, index) || (names_ != nullptr && names_->find(key))) return true;
  if (index >= dimension_) return complain(code, index_out_of_range(key, dimension_, "NDJSON", 0).message);
  next_ = {{}, static_cast<Attribute>(index), {}};
  return true;
}

// An array, or an object of indices, that has so many more values than there are attributes is not read to
// its end only to count them.
bool NdjsonGrammar::is_too_long(Code& code) {
  constexpr std::size_t kTooMany = 1000;
  if (place_ == Place::kValuesObject && !next_.name.empty()) return false;
  if (++numbered_ <= dimension_ + kTooMany) return false;
  complain(
      code,
      place_ == Place::kValuesArray
          ? fmt::format("the array of values has more than {} elements; a model of dimension {} needs {}",
                        dimension_ + kTooMany, dimension_, dimension_)
          : fmt::format("'values' has more than {} keys that are indices; a model of dimension {} has {} "
                        "of them, and none may be given twice",
                        dimension_ + kTooMany, dimension_, dimension_));
  return true;
}

bool NdjsonGrammar::on_number(View text, Code& code) {
  const std::string_view number = whole_text(text);
  if (skips(0)) return true;
  return add_number(number, "a number", code);
}

bool NdjsonGrammar::on_bool(bool value, Code& code) {
  if (skips(0)) return true;
  return add_number(value ? "1" : "0", "a truth value", code);
}

bool NdjsonGrammar::add_number(std::string_view number, std::string_view type, Code& code) {
  if (place_ == Place::kExample && member_ == kLabel) {
    example_.label = number;
  } else if (place_ == Place::kLabels) {
    example_.labels.back().number = number;
  } else if (place_ == Place::kExample && member_ == kImportance && type == "a number") {
    example_.importance = number;
  } else if (place_ == Place::kValuesObject || place_ == Place::kValuesArray) {
    if (is_too_long(code)) return false;
    add_value(number, {});
  } else {
    return wrong_type(type, code);
  }
  return true;
}

bool NdjsonGrammar::on_null(Code& code) {
  if (skips(0)) return true;
  if (place_ == Place::kValuesObject || place_ == Place::kValuesArray) {
    if (is_too_long(code)) return false;
    add_value({}, {});
    return true;
  }
  if (place_ == Place::kLabels) return true;
  if (place_ == Place::kExample && (member_ == kLabel || member_ == kTag || member_ == kSeveral)) return true;
  return wrong_type("null", code);
}

bool NdjsonGrammar::on_string(View text, std::size_t, Code& code) {
  const std::string_view whole = whole_text(text);
  if (skips(0)) return true;
  std::string_view number;
  std::string_view word;
  give_text(whole, number, word);
  if (place_ == Place::kValuesObject || place_ == Place::kValuesArray) {
    if (is_too_long(code)) return false;
    add_value(number, word);
  } else if (place_ == Place::kExample && member_ == kLabel) {
    example_.label = number;
    example_.label_word = word;
  } else if (place_ == Place::kLabels) {
    if (!word.empty()) return wrong_type(fmt::format("the word {}", in_quotes(word)), code);
    if (!number.empty()) example_.labels.back().number = number;
  } else if (place_ == Place::kExample && member_ == kTag) {
    example_.tag = whole;
  } else {
    return wrong_type("a string", code);
  }
  return true;
}

void NdjsonGrammar::add_value(std::string_view number, std::string_view word) {
  if (place_ == Place::kValuesArray) next_ = {{}, static_cast<Attribute>(example_.features.size()), {}};
  next_.number = number;
  next_.word = word;
  example_.features.push_back(next_);
}

bool NdjsonGrammar::keep_part(View text) {
  text_.append(text.data(), text.size());
  return true;
}

// The text whose last part the parser hands over: in the record when it stands there as it is, otherwise (it
// had escapes, and lies in the parser's own buffer) in text_.
std::string_view NdjsonGrammar::whole_text(View last_part) {
  const std::less<const char*> before;
  const bool in_record =
      !before(last_part.data(), record_.data()) && before(last_part.data(), record_.data() + record_.size());
  if (in_record && part_ == text_.size()) return {last_part.data(), last_part.size()};
  keep_part(last_part);
  const std::string_view text = std::string_view(text_).substr(part_);
  part_ = text_.size();
  return text;
}

bool NdjsonGrammar::wrong_type(std::string_view type, Code& code) {
  switch (place_) {
    case Place::kOutside:
      return complain(code, fmt::format("an example is an object or an array, not {}", type));
    case Place::kValuesObject: {
      const std::string key = in_quotes(key_);
      const std::string hint = is_flat_ ? ": --ignore " + key + " passes it over" : std::string();
      return complain(
          code, fmt::format("the value of {} must be a number, a string or null, not {}{}", key, type, hint));
    }
    case Place::kValuesArray:
      return complain(code, fmt::format("element {} of the values must be a number, a string or null, not {}",
                                        example_.features.size(), type));
    case Place::kLabels:
      return complain(code,
                      fmt::format("the label {} must be a number or null, not {}: of several labels none "
                                  "holds words",
                                  in_quotes(key_), type));
    case Place::kExample:
      break;
  }
  switch (member_) {
    case kLabel:
      return complain(code, fmt::format("'label' must be a number, a string or null, not {}", type));
    case kImportance:
      return complain(code, fmt::format("'importance' must be a number, not {}", type));
    case kTag:
      return complain(code, fmt::format("'tag' must be a string or null, not {}", type));
    case kSeveral:
      return complain(code, fmt::format("'labels' must be an object or null, not {}", type));
    case kValues:
      break;
  }
  return complain(code, fmt::format("'values' must be an object or an array, not {}", type));
}

bool NdjsonGrammar::complain(Code& code, std::string message) {
  complaint_ = std::move(message);
  code = boost::json::make_error_code(boost::json::error::syntax);  // any: it only has to stop the parser
  return false;
}

}  // namespace glimpse
