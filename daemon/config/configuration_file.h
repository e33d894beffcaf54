#pragma once

#include <string>
#include <vector>

namespace glimpse {

/// conf/glimpsed.conf: every option with what it trades against what, its range, its default and whether
/// SIGHUP changes it, out of the table. A test compares; with GLIMPSE_WRITE set in its environment it writes
/// the file.
std::string configuration_file();

/// What its first lines say of all options: a paragraph each.
std::vector<std::string> configuration_rules();

}  // namespace glimpse
