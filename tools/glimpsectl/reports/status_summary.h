#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace glimpse::ctl {

/// GET /v1/status in about ten lines: how good the model is, what it cost, and what is wrong where something
/// is. Lines of which the answer has nothing are left out. Errors: kCorrupt, as status_report().
Result<std::string> status_summary(std::string_view body);

/// Of the same answer, how well the rows that were evaluated while nothing was learned were predicted, for
/// people and as an object. Errors: kCorrupt.
Result<std::string> test_report(std::string_view body);
Result<std::string> test_json(std::string_view body);

}  // namespace glimpse::ctl
