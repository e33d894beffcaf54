#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glimpse {

/// The body of /v1/predict and /v1/learn as lines, one example each: NDJSON is already; a JSON array of
/// examples (objects or arrays) becomes one line an element. An array of numbers is one example. Elements are
/// only cut apart here; whether they are sound is the reader's to say. Line breaks inside elements become
/// blanks. An Error (kInvalidInput) when brackets or quotes are not closed, or something follows the array.
Result<std::string> examples_as_lines(std::string body);

/// Walks through the JSON texts that a body holds: the elements of an array, cut at the commas between them,
/// or lines that are not blank. Whether they are sound is not looked at, so that one that is not harms no
/// other. Allocates nothing. Thread-safety: none.
class JsonTexts {
 public:
  /// `body` outlives this and the texts.
  explicit JsonTexts(std::string_view body);

  bool is_array() const { return is_array_; }
  bool is_empty() const { return rest_.empty(); }
  /// How many there are. An Error (kInvalidInput) when the body is an array that is not closed, or that
  /// something follows: next() would stop there. O(body).
  Result<std::size_t> count() const;
  /// The next text; none at the end.
  std::optional<std::string_view> next();

 private:
  std::optional<std::string_view> next_line();
  std::optional<std::string_view> next_element();

  std::string_view body_;
  std::string_view rest_;
  bool is_array_ = false;
  bool is_first_ = true;
  bool is_closed_ = false;  // the array's bracket was met
};

}  // namespace glimpse
