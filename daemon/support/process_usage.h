#pragma once

#include <limits>

namespace glimpse {

/// What this process takes of the machine. NaN: the system does not say.
struct ProcessUsage {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  double cpu_seconds = kUnknown;  ///< of all threads, in user and system mode
  double resident_bytes = kUnknown;
  double virtual_bytes = kUnknown;
  double open_descriptors = kUnknown;
  double most_descriptors = kUnknown;  ///< the limit that holds now
  double started_seconds = kUnknown;   ///< since 1970
};

/// Asks the system: some ten calls, and one more for each thousand open descriptors where Linux is older than
/// 6.2. Thread-safe.
ProcessUsage process_usage();

}  // namespace glimpse
