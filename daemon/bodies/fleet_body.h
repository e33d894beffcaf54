#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "daemon/fleet/fleet_model.h"

namespace glimpse {

/// Of each partition of a fleet's topic the offset of the first message that is not in a model; none: nothing
/// of it is.
using PartitionOffsets = std::vector<std::optional<std::uint64_t>>;

/// "[12500,null,12499]".
std::string offsets_json(const PartitionOffsets& offsets);
/// "12500,-,12499", for headers.
std::string offsets_text(const PartitionOffsets& offsets);

/// The member "fleet" of /v1/status: the partitions with their owners and how far each is learned, and what
/// the model that is answered with is made of. Pure, but for the clock: how old that model is.
boost::json::value fleet_json(const FleetFacts& facts);

}  // namespace glimpse
