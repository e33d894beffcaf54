#pragma once

#include <boost/json/value.hpp>

#include "daemon/fleet/fleet_facts.h"

namespace glimpse {

/// The member "fleet" of /v1/status: the partitions with their owners and how far each is learned, and what
/// the model that is answered with is made of. Pure, but for the clock: how old that model is.
boost::json::value fleet_json(const FleetFacts& facts);

}  // namespace glimpse
