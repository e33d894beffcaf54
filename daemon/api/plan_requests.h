#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/api/plan_answers.h"
#include "daemon/bodies/plan_bodies.h"
#include "daemon/http/http_types.h"
#include "daemon/support/wall_clock.h"
#include "daemon/training/plan_desk.h"

namespace glimpse {

// What requests for one learner's plans and for those of a fleet's partitions share. All functions are pure.

inline constexpr std::size_t kSmallPlanBody = 16 * 1024;  ///< bytes that are read on the I/O thread
inline constexpr std::size_t kPlanSlice =
    512;  ///< plans or items between two looks at what else is to be done
inline constexpr std::size_t kNoLimit = static_cast<std::size_t>(-1);

/// Reads the body of /v1/ask. `label`: that of the path, where there is one. The refusal, or nothing.
std::optional<HttpResponse> read_whole_ask(std::string_view body, const std::optional<std::string>& label,
                                           AskRequest& request);

/// Why no plan was given out.
HttpResponse ask_refusal(const Error& error);

/// A tell of one plan answers as any request: by its status.
unsigned http_status(TellStatus status);

/// What the answers to one request tell at most: of some mistakes each has its reasons, of thousands none
/// would read them.
class AnswerBounds {
 public:
  /// To be called for each answer in turn.
  void shorten(TellAnswer& answer);

 private:
  std::size_t lists_ = 0;    // of expected attributes
  std::size_t reasons_ = 0;  // why items could not be read
};

/// How many plans a page of /v1/plans has. Errors: it is no number from 1 to the largest.
Result<std::size_t> read_plan_limit(const std::string& query);

/// An open plan as a page tells of it.
OpenPlansPage::Row row_of(const OpenPlan& plan, const StreamProcessor& processor);

}  // namespace glimpse
