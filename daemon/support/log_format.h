#pragma once

#include <memory>
#include <spdlog/formatter.h>

namespace glimpse {

/// How lines of the log look: time, level and message. Where standard error is the journal's, which has its
/// own time, a priority of sd-daemon(3) in place of the time: "<4>warning ...".
std::unique_ptr<spdlog::formatter> log_formatter();

/// What a line about a start that failed begins with, which is no line of the log: the priority of an error
/// where standard error is the journal's, else nothing.
const char* failure_prefix();

}  // namespace glimpse
