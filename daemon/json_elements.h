#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace glimpse {

/// The body of /v1/predict and /v1/learn as lines, one example each: NDJSON is already; a JSON array of
/// examples (objects or arrays) becomes one line an element. An array of numbers is one example. Elements are
/// only cut apart here; whether they are sound is the reader's to say. Line breaks inside elements become
/// blanks. An Error (kInvalidInput) when brackets or quotes are not closed, or something follows the array.
Result<std::string> examples_as_lines(std::string_view body);

}  // namespace glimpse
