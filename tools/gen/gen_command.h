#pragma once

#include "common/command_line.h"

namespace glimpse {

/// glimpse-gen: writes examples of the simulated sets.
ToolCommand gen_command();

}  // namespace glimpse
