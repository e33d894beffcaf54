#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glimpse {

/// The body of /v1/predict and /v1/learn as lines, one example each: NDJSON is already; a JSON array of
/// examples (objects or arrays) becomes one line an element. An array of numbers is one example. Elements are
/// only cut apart here; whether they are sound is the reader's to say. Line breaks inside elements become
/// blanks. An Error (kInvalidInput) when brackets or quotes are not closed, or something follows the array.
Result<std::string> examples_as_lines(std::string_view body);

/// The elements of the JSON array that `body` is, cut at the commas between them; whether they are sound is
/// not looked at, so that one that is not harms no other. An Error (kInvalidInput) when the array is not
/// closed, or something follows it.
Result<std::vector<std::string_view>> array_elements(std::string_view body);

}  // namespace glimpse
