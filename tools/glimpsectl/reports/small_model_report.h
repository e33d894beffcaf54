#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace glimpse::ctl {

/// GET /v1/model?attributes=N as people read it: where the model comes from, its weights, and the curve: a
/// row for each number of attributes, with what was added (and, after a minus, what went again), what that
/// costs where prices are known, the expected loss with its standard error, and a bar for the loss, as long
/// as its share of that of the mean. Errors: kCorrupt when the body is not what the daemon answers; the
/// message completes "the answer …".
Result<std::string> small_model_report(std::string_view body);

/// The curve of GET /v1/model?attributes=N as SVG: the expected loss against the number of attributes, with
/// one standard error up and down; below the axis what was added. Errors: kCorrupt, as small_model_report().
Result<std::string> small_model_picture(std::string_view body);

}  // namespace glimpse::ctl
