#pragma once

#include <string>
#include <vector>

#include "daemon/config/configuration.h"

namespace glimpse {

/// Options that differ between the two and may change while running (Reload in their rows) are copied into
/// `running`; the names of those that differ and may not are returned, in the order of the table.
std::vector<std::string> apply_changes(Configuration& running, const Configuration& wanted);

}  // namespace glimpse
