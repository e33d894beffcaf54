#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "learn/options/options.h"

namespace glimpse {

/// Part of validate(): LearnerOptions::labels.
Status validate_labels(const LearnerOptions& options);

/// Their names as --label takes them, on one line: line ends in them become blanks.
std::string label_line(const std::vector<std::string>& labels);

}  // namespace glimpse
