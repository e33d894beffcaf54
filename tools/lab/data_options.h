#pragma once

#include <vector>

#include "base/option_row.h"
#include "lab/data/data_source.h"

namespace glimpse {

/// The rows of the commands on one data set: --data, and how it is read, scaled and split.
std::vector<OptionRow> data_options();

}  // namespace glimpse
