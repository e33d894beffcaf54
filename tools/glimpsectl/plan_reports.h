#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "glimpsectl/command_line.h"

namespace glimpse::ctl {

/// What is said to and by the endpoints about plans. Pure functions; Errors as those of reports.h.

/// The body of POST /v1/ask. What was not given is left to the server.
std::string ask_body(const CommandLine& line);

/// The answer to it: a plan a line with its attributes, by name where they have names.
Result<std::string> asked_report(std::string_view body);

/// GET /v1/plans: the same, what was told of each, how many there are, and where the next page begins.
Result<std::string> plans_report(std::string_view body);

/// One item of the answer to POST /v1/tell.
struct ToldItem {
  std::string id;
  std::string status;   ///< "learned"
  std::string message;  ///< empty where the status says all
};
/// A body for several items, or for one, which may come with an HTTP status of its own.
Result<std::vector<ToldItem>> parse_tell_reply(std::string_view body);

/// Whether the item was settled, now or before.
bool is_settled(const ToldItem& item);
/// Whether there is something to do about it. A status that is not known here counts as such.
bool is_refused(const ToldItem& item);

/// "3 plans learned, 2 duplicate, 1 expired" of the number of items with each status.
std::string told_summary(const std::map<std::string, std::uint64_t>& counts);

}  // namespace glimpse::ctl
