#pragma once

#include "daemon/fleet/fleet_model.h"
#include "daemon/fleet/fleet_report.h"

namespace glimpse {

/// What is told of a fleet: its partitions, and the model that this instance answers with.
struct FleetFacts {
  FleetReport report;
  FleetModelReport model;
};

}  // namespace glimpse
