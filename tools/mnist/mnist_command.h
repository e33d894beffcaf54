#pragma once

#include "common/tool.h"

namespace glimpse {

/// glimpse-mnist: writes MNIST's pictures as examples.
ToolCommand mnist_command();

}  // namespace glimpse
