#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "base/result.h"

namespace glimpse::ctl {

/// The lines of `glimpsectl watch`, at most 79 columns as long as the numbers are not enormous.

/// Puts what `status` has of this one of several labels in place of the first one's; "": it stays. Errors
/// (kInvalidInput): there is none of this name.
Status choose_label(boost::json::object& status, std::string_view label);

/// The titles of the columns.
std::string watch_header();

/// One line about the status `now`, with rates since the status `before`, `seconds` ago; without rates when
/// `before` is nullptr or of a daemon that counted further than this one. Pure.
std::string watch_line(std::string_view time, const boost::json::object& now,
                       const boost::json::object* before, double seconds);

}  // namespace glimpse::ctl
