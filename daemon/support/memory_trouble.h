#pragma once

#include <cstdint>
#include <new>

namespace glimpse {

/// What the daemon could not do because there was no memory. Code that catches std::bad_alloc gives up its
/// task, notes it here, and goes on. Thread-safety: full.

/// Counts it, and logs it unless that was done within the last second. `what` ends the line "not enough
/// memory: …".
void note_memory_trouble(const char* what) noexcept;

/// Since the start.
std::uint64_t memory_troubles() noexcept;

/// Does `work`, or gives it up.
template <class Work>
void if_memory_allows(const char* what, Work&& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    note_memory_trouble(what);
  }
}

}  // namespace glimpse
