#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <new>
#include <thread>

namespace glimpse {

/// What the daemon could not do because there was no memory. Code that catches std::bad_alloc gives up its
/// task, notes it here, and goes on. Thread-safety: full.

/// Counts it, and logs it unless that was done within the last second. `what` ends the line "not enough
/// memory: …".
void note_memory_trouble(const char* what) noexcept;

/// Since the start.
std::uint64_t memory_troubles() noexcept;

/// The same of an exception that nothing should throw: `why` says what it is.
void note_fault(const char* what, const char* why) noexcept;

/// Since the start.
std::uint64_t faults() noexcept;

/// Does `work`, or gives it up, whatever it throws.
template <class Work>
void if_memory_allows(const char* what, Work&& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    note_memory_trouble(what);
  } catch (const std::exception& error) {
    note_fault(what, error.what());
  } catch (...) {
    note_fault(what, "an exception without a message");
  }
}

/// The same again and again, every 10 ms, until there was memory for it, or `is_needless()`. For threads on
/// which nobody waits, and what must happen.
template <class Work, class IsNeedless>
void once_memory_allows(const char* what, Work&& work, IsNeedless&& is_needless) {
  for (bool is_done = false; !is_done && !is_needless();) {
    if_memory_allows(what, [&] {
      work();
      is_done = true;
    });
    if (!is_done) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace glimpse
