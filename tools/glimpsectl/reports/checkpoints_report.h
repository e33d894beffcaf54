#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace glimpse::ctl {

/// GET /v1/checkpoints: a table of name, examples, size and time (UTC), in the daemon's order. Pure. Errors:
/// kCorrupt when the body is not what the daemon answers; the message completes "the answer …".
Result<std::string> checkpoints_report(std::string_view body);

}  // namespace glimpse::ctl
