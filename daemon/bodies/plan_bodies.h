#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "daemon/bodies/partial_bodies.h"
#include "daemon/training/plan_desk.h"
#include "json/json_elements.h"
#include "json/json_nodes.h"

namespace glimpse {

// What the endpoints about plans are sent, as JSON. Pure.

/// The body of POST /v1/ask.
struct AskRequest {
  std::size_t count = 1;
  bool names_available = false;
  std::vector<CalledAttribute> available;
  std::optional<std::vector<Attribute>>
      resolved;                       ///< the same, once resolve_attributes() has said what they are
  std::optional<double> ttl_seconds;  ///< none: --plan-ttl
  bool for_prediction = false;        ///< not plans to learn from, but what one prediction lacks most
  KnownValues known;                  ///< for it
  std::optional<std::string> label;   ///< which is predicted, by name, where there are several
};

/// Reads {"count": n, "available": [...], "ttl": "7d"}, or {"for": "prediction", "known": {...}, "count": n,
/// "available": [...], "label": "temp"}; everything may be left out, also the whole body. Errors
/// (kInvalidInput) say what is wrong.
Result<AskRequest> read_ask(std::string_view body);

/// Puts the attributes that are called so behind `attributes`. Errors name the text.
Status resolve_attributes(std::span<const CalledAttribute> called, const AttributeNames& names,
                          std::vector<Attribute>& attributes);
/// Sorts them. An Error names an attribute that is named twice.
Status sort_attributes(std::vector<Attribute>& attributes);

/// Reads the body of POST /v1/tell, some items at a time: one item {"id", "label" or "labels": {...},
/// "values":
/// {...} or [...], "refused": [...]}, a JSON array of items, or one a line. Thread-safety: none.
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

}  // namespace glimpse
