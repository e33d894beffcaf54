#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/result.h"

namespace glimpse {

/// Called with the name of an array and the text of one of its elements, in order. An Error ends the walk.
using OnElement = std::function<Status(std::string_view array, std::string_view element)>;

/// Parses the JSON object `text`, but hands the elements of the top-level arrays in `arrays` to `on_element`
/// instead of keeping them; in the object that comes back they are empty. So an answer of 10⁷ predictions
/// costs no memory beyond its text, where a tree of values would take gigabytes. A number reaches the user as
/// the server wrote it (Boost.JSON 1.81 may differ in the last bit).
///
/// An element is a stretch of text with balanced brackets; whether it is JSON is for on_element to say.
/// Errors: kCorrupt for what is no JSON object otherwise, and those of on_element. Time O(text).
Result<boost::json::object> walk_arrays(std::string_view text, const std::vector<std::string_view>& arrays,
                                        const OnElement& on_element);

/// A number that is the whole of `text`, correctly rounded. Errors: kCorrupt.
Result<double> parse_json_number(std::string_view text);

/// The same where nothing is taken out of it.
Result<boost::json::object> parse_object(std::string_view text);

}  // namespace glimpse
