#pragma once

#include <cstddef>
#include <string>

#include "glimpsectl/reports/history_data.h"

namespace glimpse::ctl {

/// How learning went, in at most 79 columns, or `room` where that is less: a row each for R2 (or the loss,
/// where R2 is not known), what was held out and the rate, over a log axis of examples, and what happened
/// under it. `has_utf8`: with blocks; else in ASCII alone. In a narrow room the drawing is narrow; without
/// room for that errors are left out, then the drawing, and no number is cut. Each line ends; empty while
/// there are less than two samples. Pure.
std::string history_lines(const HistoryData& history, bool has_utf8, std::size_t room = 79);

}  // namespace glimpse::ctl
