#pragma once

#include <memory>
#include <spdlog/formatter.h>

namespace glimpse {

/// How lines of the log look: time, level and message, each on one line (printable()). Where standard error
/// is the journal's, which has its own time, a priority of sd-daemon(3) in place of the time: "<4>warning
/// ...".
std::unique_ptr<spdlog::formatter> log_formatter();

/// Whether standard error is the journal of systemd, where a line begins with its priority ("<3>": an error).
bool writes_to_journal();

}  // namespace glimpse
