#include "data/records/absent.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "data/text/text.h"

namespace glimpse {

namespace {

constexpr std::array<std::string_view, 3> kNames{"auto", "unknown", "zero"};

}  // namespace

Result<Absent> parse_absent(std::string_view name) {
  const auto* const place = std::find(kNames.begin(), kNames.end(), name);
  if (place != kNames.end()) return static_cast<Absent>(place - kNames.begin());
  return failure(ErrorCode::kInvalidOption, "absent {} is unknown: auto, unknown or zero", in_quotes(name));
}

std::string_view name_of(Absent absent) { return kNames[static_cast<std::size_t>(absent)]; }

}  // namespace glimpse
