#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "base/result.h"
#include "report/table.h"

namespace glimpse {

/// How JSON is shown to people, field by field. What a field is called says its unit (…_seconds, …_bytes), so
/// that fields which a newer daemon adds are shown as well as known ones. Pure functions.

/// Refuses a number that cannot be, by the name of its field: a count that is negative or not whole, a
/// squared or standard error below 0, a probability beyond 0 to 1, an R² above 1. Errors: kCorrupt.
Status check_numbers(const boost::json::object& object);
/// The text of a number or null. Errors: kCorrupt for a number that is not from `least` to `most`.
Status check_number(std::string_view text, double least, double most);
/// A JSON object whose numbers can be. Errors: kCorrupt.
Result<boost::json::object> parse_answer(std::string_view body);

/// The number in a field; nothing when it is absent, null or something else.
std::optional<double> number_in(const boost::json::object& object, std::string_view name);

/// The word in a field; empty when it is absent, null or something else.
std::string word_in(const boost::json::object& object, std::string_view name);

/// Whether a field is there and true.
bool is_true(const boost::json::object& object, std::string_view name);

/// One value: "–" for null, yes or no, numbers with separators and in the unit of `name`, lists with commas.
std::string field_text(std::string_view name, const boost::json::value& value);

/// All fields in the server's order as `name  value`, those of an object in it as name.field; then a table
/// for each list of objects. Empty lists are "none".
std::string object_report(const boost::json::object& object);

/// A list of objects as a table: a column for each name that occurs, numbers on the right.
Table table_of(const boost::json::array& rows);

}  // namespace glimpse
