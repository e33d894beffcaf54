#pragma once

#include <string_view>

#include "base/result.h"
#include "stats/second_moments.h"

namespace glimpse {

/// Reads the text of --moments FILE, CSV with a header, as GET /v1/moments?format=csv writes it. The columns
/// `attribute` (counted from 0) and `second_moment` must be there; `count`, `mean` and `max_abs` may be.
/// Fields in quotes may hold commas, newlines and, doubled, quotes. An empty or absent count: known exactly.
/// Every attribute must be there once. A moment of 0 becomes 10⁻⁶ of the mean moment: with a 0 that is wrong,
/// an attribute could never be drawn and the estimators would be biased (erratum 4 of lib/learn/PAPERS.md).
/// Errors (kInvalidInput) name the line.
Result<SecondMoments> parse_moments(std::string_view text, std::size_t dimension);

}  // namespace glimpse
