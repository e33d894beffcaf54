#pragma once

#include <string>

namespace glimpse {

/// conf/glimpsed.conf: every option with what it trades against what, its range, its default and whether
/// SIGHUP changes it, out of the table. A test compares; with GLIMPSE_WRITE set in its environment it writes
/// the file.
std::string configuration_file();

}  // namespace glimpse
