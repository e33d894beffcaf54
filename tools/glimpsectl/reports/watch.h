#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace glimpse::ctl {

/// The lines of `glimpsectl watch`, at most 79 columns as long as the numbers are not enormous.

/// The titles of the columns.
std::string watch_header();

/// One line about the status `now`, with rates since the status `before`, `seconds` ago; without rates when
/// `before` is nullptr or of a daemon that counted further than this one. Pure.
std::string watch_line(std::string_view time, const boost::json::object& now,
                       const boost::json::object* before, double seconds);

}  // namespace glimpse::ctl
