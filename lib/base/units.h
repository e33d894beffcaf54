#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace glimpse {

/// "250ms", "30s", "5m", "2h", "7d"; a bare number is seconds. Whole numbers only, up to ten years.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);

/// "4096", "64KiB", "16MiB", "2GiB": bytes, at least 1.
Result<std::size_t> parse_bytes(std::string_view text);

}  // namespace glimpse
