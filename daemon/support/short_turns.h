#pragma once

namespace glimpse {

/// Asks the system to give the calling thread the processor often and for a short time (100 µs) rather than
/// seldom and for long: it waits less behind threads that are always busy, and gets no more in all. For a
/// thread that answers. Needs no privilege. Linux 6.12 and later do so; elsewhere, and where it is not
/// allowed, nothing happens. False: the system refused. Thread-safety: full.
bool ask_for_short_turns();

}  // namespace glimpse
