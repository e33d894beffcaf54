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

/// What large lines and bodies took goes back to the system when they go: the C library would else raise its
/// threshold to their size, and keep their memory for ever in pieces. Before anything else is done. Without
/// effect where the C library is not glibc.
void tune_heap();

/// Gives back what the C library keeps of free memory between pieces that are in use: a few hundred
/// microseconds. Thread-safety: full.
void give_pieces_back();

}  // namespace glimpse
