#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glimpse::ctl {

/// What is said to and by the endpoints about plans. Pure functions; Errors as those of reports.h.

/// An attribute, by name or number, whose value is there already.
struct KnownValue {
  std::string attribute;
  double value = 0;
  std::string word = {};  ///< a category, in place of a number; empty: it is one
};

/// What to buy. What was not given is left to the server.
struct PlanRequest {
  std::optional<std::uint64_t> count;  ///< plans, or attributes to choose
  bool for_prediction = false;         ///< which attributes to buy of an example to predict
  std::vector<std::string> available;  ///< attributes that can be had; empty: all
  std::vector<KnownValue> known;       ///< for a prediction
  std::string ttl;                     ///< for the server to read; empty: its own
  std::string label;                   ///< that is predicted, of several; empty: there is one
};

/// The body of POST /v1/ask.
std::string ask_body(const PlanRequest& request);

/// The answer to it: a plan a line with its attributes, by name where they have names.
Result<std::string> asked_report(std::string_view body);

/// GET /v1/plans: the same, what was told of each, how many there are, and where the next page begins.
Result<std::string> plans_report(std::string_view body);

/// One item of the answer to POST /v1/tell.
struct ToldItem {
  std::string id;
  std::string status;        ///< "learned"
  std::string message;       ///< empty where the status says all
  std::string owner = {};    ///< of a fleet: where the instance answers that has the plan; empty: here
  bool contradicts = false;  ///< its label is not the one that was told before, which the message names
};
/// A body for several items, or for one, which may come with an HTTP status of its own.
Result<std::vector<ToldItem>> parse_tell_reply(std::string_view body);

/// Whether the answer to DELETE /v1/plans/ID says that the plan is abandoned.
bool says_abandoned(std::string_view body, std::string_view id);
/// Whether the item was settled, now or before.
bool is_settled(const ToldItem& item);
/// Whether there is something to do about it. A status that is not known here counts as such.
bool is_refused(const ToldItem& item);

/// "3 plans learned, 2 duplicate, 1 expired" of the number of items with each status.
std::string told_summary(const std::map<std::string, std::uint64_t>& counts);

}  // namespace glimpse::ctl
