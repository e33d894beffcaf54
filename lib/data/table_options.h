#pragma once

#include <string>
#include <vector>

#include "base/option_row.h"

namespace glimpse {

/// The options of every program that say how the text of a table is read, into TableOptions: ignore, header,
/// delimiter, decimal-comma, missing, encoding, short-rows.
const std::vector<OptionRow>& table_reading_options();

/// Names with commas between, without the blanks around each where there are several. A name with a comma
/// stands in double quotes, where "" is one of them.
std::vector<std::string> names_between_commas(const std::string& text);

}  // namespace glimpse
