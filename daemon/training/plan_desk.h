#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "daemon/buying/values_of_plan.h"
#include "daemon/training/stream_processor.h"
#include "learn/plans/plan_book.h"

namespace glimpse {

// Asking which attributes to buy, and telling what they were: what /v1/ask and /v1/tell do to a
// StreamProcessor, on its thread. Asking and telling plan by plan is the same to the bit as pushing whole
// examples: the same random numbers, the same step.

/// Plans that were given out together.
struct AskedPlans {
  /// One plan and its price.
  struct Row {
    PlanId id = 0;
    Money cost = 0;
    std::size_t end = 0;  ///< of its attributes in `attributes`; they begin where the row before ends
  };
  std::vector<Row> rows;
  std::vector<Attribute> attributes;
  std::vector<std::string> names;  ///< one an attribute; empty where attributes have no names
  double expires_at = 0;           ///< seconds since 1970
  std::string prefix;              ///< before each id: of a fleet which partition's it is
  std::string stopped;             ///< why there are fewer than were asked for; empty: there are not
};

/// The attributes that the client can get at all; none: all of them.
using Available = std::optional<std::vector<Attribute>>;

/// Gives out `count` more plans into `plans`: fewer only with an Error, which those given out so far survive.
/// Errors: kUnavailable where the totals are spent (the message says what was spent) or nothing is learned
/// (Freeze), kTooLarge where the book is full, others as Learner::plan_among().
Status ask(StreamProcessor& processor, std::size_t count, const Available& available, double now,
           double expires_at, AskedPlans& plans);

/// What became of an item of /v1/tell.
enum class TellStatus : std::uint8_t {
  kLearned,
  kIncomplete,  ///< kept; the label or the values are still to come
  kDuplicate,   ///< was told before
  kNotLearned,  ///< nothing can be learned from the answer; the plan is closed
  kExpired,
  kAbandoned,
  kUnknown,          ///< no such plan, or forgotten
  kWrongAttributes,  ///< not those of the plan, which stays open
  kInvalidValue,     ///< out of range; the plan stays open
  kInvalid,          ///< the item could not be read
  kFrozen,           ///< nothing is learned now; the plan stays open
  kElsewhere,        ///< of a fleet: another instance has the plan, and nothing was told
};
/// "wrong_attributes"
const char* name_of(TellStatus status);
/// Whether the client has to do something about it.
bool is_error(TellStatus status);

/// The answer to an item of /v1/tell.
struct TellAnswer {
  std::string id;
  TellStatus status = TellStatus::kInvalid;
  std::string message;              ///< empty where the status says all
  std::vector<Attribute> expected;  ///< the plan's attributes, with kWrongAttributes
  std::vector<std::string> names;   ///< of these, where they have any
  /// The label that was told of the plan before, where that of this item differs; words as they are.
  std::optional<std::variant<double, std::string>> told_label = {};
  std::vector<std::pair<std::string, double>> told_labels = {};  ///< the same of several, by name
  std::string owner = {};  ///< with kElsewhere: where the instance that has the plan answers
};

/// Takes one item. `door`: counts what is learned.
TellAnswer tell(StreamProcessor& processor, Door& door, const TellBatch& batch, const Told& item, double now);

/// The plan is not bought. Errors: kNotFound, kUnavailable where it is closed already.
Status abandon(StreamProcessor& processor, std::string_view id, double now);

}  // namespace glimpse
