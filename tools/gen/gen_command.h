#pragma once

#include "common/tool.h"

namespace glimpse {

/// glimpse-gen: writes examples of the simulated sets.
ToolCommand gen_command();

}  // namespace glimpse
