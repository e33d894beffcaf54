#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glimpse::ctl {

/// GET /v1/model?format=json as people read it: where the model comes from, and the `top` attributes that are
/// worth most to it (`importances`), those of unknown importance last, of largest weight. Each with its
/// importance, a share of the label's variance, its standard error, its weight, and its name when there is a
/// list `names`. Where there are `weight_errors`, with those and the interval. The lists may come in any
/// order. Memory: 8 bytes an attribute beside the body. Errors: kCorrupt when the body is not what the daemon
/// answers; the message completes "the answer …".
Result<std::string> model_report(std::string_view body, std::size_t top);

/// POST /v1/predict?explain=true as people read it: for each example its prediction, and a table of what adds
/// up to it, the largest contribution first. `before`: examples that were shown already, to which these are
/// added. Errors: kCorrupt when the body is not what the daemon answers; the message completes "the answer
/// …".
Result<std::string> explained_predictions(std::string_view body, std::uint64_t& before);

}  // namespace glimpse::ctl
