#pragma once

#include <string>

#include "daemon/fleet/fleet_facts.h"

namespace glimpse {

/// Of a fleet, in Prometheus' text format, to come behind the others. Pure, but for the clock.
std::string render_fleet_metrics(const FleetFacts& facts);

}  // namespace glimpse
