#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/result.h"

namespace glimpse::ctl {

/// The answers of a daemon whose labels are classes, as people read them; see reports.h.

/// Elements of the arrays of an answer of POST /v1/predict.
using ElementsByArray = std::map<std::string_view, std::vector<std::string_view>>;

/// One prediction a line, as glimpsed --predict writes it on stream doors: "CLASS PROBABILITY", or
/// "CLASS:NUMBER" of all classes where the answer has probabilities or scores of all.
Result<std::string> class_prediction_lines(const ElementsByArray& elements);

/// What a class, a string of JSON, is called on such a line: without quotes, unless it has a space, a colon,
/// or characters that JSON escapes.
std::string_view class_on_line(std::string_view json_string);

/// Of GET /v1/status: how often records of each class were predicted to be each, as a table. Empty: nothing
/// was held out, the counts are not what they should be, or there are more than kMostConfused classes.
std::string confusion_table(const boost::json::object& status);
inline constexpr std::size_t kMostConfused = 12;

}  // namespace glimpse::ctl
