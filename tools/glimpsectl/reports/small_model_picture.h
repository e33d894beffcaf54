#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace glimpse::ctl {

/// The curve of GET /v1/model?attributes=N as SVG: the expected loss against the number of attributes, with
/// one standard error up and down; below the axis what was added. Errors: kCorrupt, as small_model_report().
Result<std::string> small_model_picture(std::string_view body);

}  // namespace glimpse::ctl
