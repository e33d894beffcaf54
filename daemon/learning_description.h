#pragma once

#include <string>

#include "base/file.h"
#include "daemon/config/configuration.h"

namespace glimpse {

/// What decides what is learned from a record beside that which the state of a learner says itself (the text
/// learner.options): "name=value" lines, in a fixed order. Two instances with the same lines learn the same
/// from the same messages. Files count by the XXH3 of what they say. `configuration`: all filled in. Errors:
/// kInvalidOption where the attributes file cannot be read. Thread-safety: a pure function.
Result<std::string> describe_learning(const Configuration& configuration, FileSystem& files);

}  // namespace glimpse
