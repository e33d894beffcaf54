#pragma once

#include <string>
#include <string_view>

namespace glimpse {

/// What to do about a field of a table that is no number, without blanks around it: ": --decimal-comma where
/// the comma of '1,5' is decimal". Empty: nothing of the kind is known. `decimal_comma`: the option is given.
std::string cell_mend(std::string_view field, bool decimal_comma);

}  // namespace glimpse
