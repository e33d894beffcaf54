#pragma once

#include <cmath>

#include <boost/json/value.hpp>

namespace glimpse {

/// What JSON holds of a measured number: null where it is not finite, as it has no other word for that.
inline boost::json::value number_or_null(double value) {
  return std::isfinite(value) ? boost::json::value(value) : boost::json::value(nullptr);
}

}  // namespace glimpse
