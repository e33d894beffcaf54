#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "daemon/api/partial_bodies.h"
#include "daemon/training/plan_desk.h"
#include "json/json_elements.h"
#include "json/json_nodes.h"

namespace glimpse {

// What the endpoints about plans are sent and what they answer, as JSON. Pure.

/// The body of POST /v1/ask.
struct AskRequest {
  std::size_t count = 1;
  bool names_available = false;
  std::vector<std::string> available;  ///< names or numbers
  std::optional<std::vector<Attribute>>
      resolved;                       ///< the same, once resolve_attributes() has said what they are
  std::optional<double> ttl_seconds;  ///< none: --plan-ttl
  bool for_prediction = false;        ///< not plans to learn from, but what one prediction lacks most
  KnownValues known;                  ///< for it
};

/// Reads {"count": n, "available": [...], "ttl": "7d"}, or {"for": "prediction", "known": {...}, "count": n,
/// "available": [...]}; everything may be left out, also the whole body. Errors (kInvalidInput) say what is
/// wrong.
Result<AskRequest> read_ask(std::string_view body);

/// Puts the attributes that texts name behind `attributes`. Errors name the text.
Status resolve_attributes(std::span<const std::string> texts, const AttributeNames& names,
                          std::vector<Attribute>& attributes);
/// Sorts them. An Error names an attribute that is named twice.
Status sort_attributes(std::vector<Attribute>& attributes);

/// Reads the body of POST /v1/tell, some items at a time: one item {"id", "label", "values": {...} or [...],
/// "refused": [...]}, a JSON array of items, or one a line. Thread-safety: none.
class TellItems {
 public:
  /// `body` outlives this. O(body). An Error (kInvalidInput) is of the whole body.
  static Result<TellItems> open(std::string_view body);

  /// Whether it is anything but a single item.
  bool is_batch() const { return is_batch_; }
  /// Replaces `batch` by the next items, at most `most`, until they have `least` bytes: false at the end. An
  /// item that cannot be read keeps its error.
  bool next(TellBatch& batch, std::size_t most, std::size_t least);

 private:
  explicit TellItems(std::string_view body) : body_(body), texts_(body), json_(kMostJsonNodes) {}

  std::string_view body_;
  JsonTexts texts_;
  JsonNodes json_;
  bool is_batch_ = true;
  bool is_read_ = false;  // where there is one item
};

/// "2026-11-28T10:00:00Z"
std::string utc_text(double seconds_since_1970);

std::string asked_json(const AskedPlans& plans);
/// Objects with commas between them, and before the first unless `is_first`; adds those that were learned to
/// `learned`.
std::string told_results_json(const std::vector<TellAnswer>& answers, bool is_first, std::size_t& learned);
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
