#pragma once

#include "daemon/config/configuration.h"

namespace glimpse {

/// What rows of several files ask of a configuration, and what they say where it is not so.

inline constexpr const char* kNoCheckpoints = "has no effect without --state-directory DIR";

inline bool keeps_state(const Configuration& c) { return !c.state_directory.empty(); }
inline bool has_http(const Configuration& c) { return !c.http.empty(); }

}  // namespace glimpse
