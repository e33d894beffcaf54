#pragma once

#include <string>
#include <vector>

#include "lab/studies/buying_check.h"

namespace glimpse {

/// One page of Markdown: the cells, geometric means by share and by set, and the worst cell. `run` is one
/// line on how they came about.
std::string page_of(const std::vector<BuyingCell>& cells, const std::string& run);

}  // namespace glimpse
