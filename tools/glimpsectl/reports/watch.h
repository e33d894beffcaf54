#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "base/result.h"

namespace glimpse::ctl {

/// The lines of `glimpsectl watch`, at most 88 columns as long as the numbers are not enormous. In a room of
/// fewer columns what matters least is left out; nothing is cut off.
inline constexpr std::size_t kAllRoom = SIZE_MAX;

/// Puts what `status` has of this one of several labels in place of the first one's; "": it stays. Errors
/// (kInvalidInput): there is none of this name.
Status choose_label(boost::json::object& status, std::string_view label);

/// The titles of the columns, those that a line in this room has.
std::string watch_header(std::size_t room = kAllRoom);

/// One line about the status `now`, with rates since the status `before`, `seconds` ago; without rates when
/// `before` is nullptr or of a daemon that counted further than this one. Numbers that are wider than their
/// columns take the room of further columns. Pure.
std::string watch_line(std::string_view time, const boost::json::object& now,
                       const boost::json::object* before, double seconds, std::size_t room = kAllRoom);

}  // namespace glimpse::ctl
