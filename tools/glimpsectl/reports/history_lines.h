#pragma once

#include <string>

#include "glimpsectl/reports/history_data.h"

namespace glimpse::ctl {

/// How learning went, in at most 79 columns: a row each for R2 (or the loss, where R2 is not known), what was
/// held out and the rate, over a log axis of examples, and what happened under it. `has_utf8`: with blocks;
/// else in ASCII alone. Each line ends; empty while there are less than two samples. Pure.
std::string history_lines(const HistoryData& history, bool has_utf8);

}  // namespace glimpse::ctl
