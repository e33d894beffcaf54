#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "base/result.h"

namespace glimpse {

/// Parses JSON of which nothing may be doubtful. UTF-8 must be well formed, nesting at most 8 deep, and
/// nothing may follow the value. No object may have a key twice (Boost.JSON alone would silently take the
/// last). Errors: kCorrupt. Thread-safety: a pure function. Time and memory O(text).
Result<boost::json::value> parse_strict_json(std::string_view text);

/// What JSON holds of a measured number: null where it is not finite, as it has no other word for that.
inline boost::json::value number_or_null(double value) {
  return std::isfinite(value) ? boost::json::value(value) : boost::json::value(nullptr);
}

}  // namespace glimpse
