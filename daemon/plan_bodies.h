#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "daemon/partial_bodies.h"
#include "daemon/plan_desk.h"

namespace glimpse {

// What the endpoints about plans are sent and what they answer, as JSON. Pure.

/// The body of POST /v1/ask.
struct AskRequest {
  std::size_t count = 1;
  bool names_available = false;
  std::vector<std::string> available;  ///< names or numbers
  std::optional<double> ttl_seconds;   ///< none: --plan-ttl
  bool for_prediction = false;         ///< not plans to learn from, but what one prediction lacks most
  KnownValues known;                   ///< for it
};

/// Reads {"count": n, "available": [...], "ttl": "7d"}, or {"for": "prediction", "known": {...}, "count": n,
/// "available": [...]}; everything may be left out, also the whole body. Errors (kInvalidInput) say what is
/// wrong.
Result<AskRequest> read_ask(std::string_view body);

/// The attributes that texts name, ascending. Errors name the text; one is an attribute that is named twice.
Result<std::vector<Attribute>> resolve_attributes(const std::vector<std::string>& texts,
                                                  const AttributeNames& names);

/// The body of POST /v1/tell: one item {"id", "label", "values": {...} or [...], "refused": [...]}, a JSON
/// array of items, or one a line. An item that cannot be read keeps its error; an Error is of the whole body.
/// `is_batch`: whether it was anything but a single item.
struct TellRequest {
  TellBatch batch;
  bool is_batch = false;
};
Result<TellRequest> read_tell(std::string_view body);

/// "2026-11-28T10:00:00Z"
std::string utc_text(double seconds_since_1970);

std::string asked_json(const AskedPlans& plans);
std::string told_json(const std::vector<TellAnswer>& answers);
/// One answer without the array around it; those that are errors have an "error" as other errors have.
std::string told_json(const TellAnswer& answer);

/// A page of GET /v1/plans.
struct OpenPlansPage {
  struct Row {
    PlanId id = 0;
    double expires_at = 0;
    Money cost = 0;
    std::vector<Attribute> attributes;
    std::vector<std::string> names;
    bool has_label = false;
    bool has_values = false;
  };
  std::vector<Row> rows;
  bool more = false;  ///< plans follow the last
  std::size_t open = 0;
  PlanBook::Counts counts;
};
std::string plans_json(const OpenPlansPage& page);

}  // namespace glimpse
