#pragma once

#include <vector>

#include "daemon/config/option_table.h"

namespace glimpse {

// The rows of the option table. Each function has a source of its name.

/// What attributes cost, and what may be spent.
std::vector<DaemonOption> buying_options();
/// Where examples and questions come in, from whom, how they are read and answered.
std::vector<DaemonOption> door_options();
/// What the rows of tables (CSV) are.
std::vector<DaemonOption> table_options();
/// Labels that are classes.
std::vector<DaemonOption> class_options();
/// Checkpoints.
std::vector<DaemonOption> durability_options();
/// A fleet over Kafka.
std::vector<DaemonOption> fleet_options();
/// Bounds on memory, connections and time.
std::vector<DaemonOption> limit_options();
/// The rest.
std::vector<DaemonOption> general_options();

// What rows of several sources ask of a configuration, and what they say where it is not so.

inline constexpr const char* kNoCheckpoints = "has no effect without --state-directory DIR";

inline bool keeps_state(const Configuration& c) { return !c.state_directory.empty(); }
inline bool has_http(const Configuration& c) { return !c.http.empty(); }

}  // namespace glimpse
