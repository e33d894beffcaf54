#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "base/result.h"

namespace glimpse::ctl {

/// GET /v1/status in about ten lines: how good the model is, what it cost, and what is wrong where something
/// is. Lines of which the answer has nothing are left out. Errors: kCorrupt, as status_report().
Result<std::string> status_summary(std::string_view body);

/// Of the same answer, that another model answers than the newest, for each label of which it does: the
/// likely cause, and what to do. Empty: the newest answers. Errors: kCorrupt.
Result<std::string> fallback_report(std::string_view body);

/// Of the same answer, how well the rows that were evaluated while nothing was learned were predicted, for
/// people and as an object. Errors: kCorrupt.
Result<std::string> test_report(std::string_view body);
/// Of the same R2, of several labels the first one's: "0.953 ± 0.01"; empty: it is not known.
std::string test_r2(const boost::json::object& status);
Result<std::string> test_json(std::string_view body);

}  // namespace glimpse::ctl
