#pragma once

#include <string>

namespace glimpse {

/// A number of JSON with the fewest digits that give the same double again; null where it is not finite.
std::string number(double value);
/// A name as it may stand in a field of CSV.
std::string csv_field(const std::string& text);

}  // namespace glimpse
