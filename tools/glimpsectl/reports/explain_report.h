#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glimpse::ctl {

/// POST /v1/predict?explain=true as people read it: for each example its prediction, and a table of what adds
/// up to it, the largest contribution first. `before`: examples that were shown already, to which these are
/// added. Errors: kCorrupt when the body is not what the daemon answers; the message completes "the answer
/// …".
Result<std::string> explained_predictions(std::string_view body, std::uint64_t& before);

}  // namespace glimpse::ctl
