#pragma once

#include <vector>

#include "base/option.h"
#include "lab/data/data_source.h"

namespace glimpse {

/// The rows of the commands on one data set: --data, and how it is read, scaled and split.
std::vector<Option<DataOptions>> data_options();

}  // namespace glimpse
