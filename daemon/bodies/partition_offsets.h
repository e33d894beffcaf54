#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace glimpse {

/// Of each partition of a fleet's topic the offset of the first message that is not in a model; none: nothing
/// of it is.
using PartitionOffsets = std::vector<std::optional<std::uint64_t>>;

/// "[12500,null,12499]".
std::string offsets_json(const PartitionOffsets& offsets);
/// "12500,-,12499", for headers.
std::string offsets_text(const PartitionOffsets& offsets);

}  // namespace glimpse
