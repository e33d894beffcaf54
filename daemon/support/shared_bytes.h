#pragma once

#include <algorithm>
#include <cstddef>

namespace glimpse {

/// Bytes that connections hold, against a limit that they share. Thread-safety: none.
class SharedBytes {
 public:
  std::size_t limit = static_cast<std::size_t>(-1);

  /// What all hold.
  std::size_t total() const { return total_; }

  /// `held` is what a connection counted so far and becomes `bytes`; false, and nothing changes, where that
  /// would be beyond the limit. Less than before is always taken.
  bool hold(std::size_t& held, std::size_t bytes) {
    const std::size_t others = total_ - held;
    if (bytes > held && bytes > limit - std::min(limit, others)) return false;
    total_ = others + bytes;
    held = bytes;
    return true;
  }

  /// Any number.
  void hold_any(std::size_t& held, std::size_t bytes) {
    total_ = total_ - held + bytes;
    held = bytes;
  }

  /// hold(), but who holds alone may hold any number.
  bool hold_any_alone(std::size_t& held, std::size_t bytes) {
    if (total_ != held) return hold(held, bytes);
    total_ = held = bytes;
    return true;
  }

 private:
  std::size_t total_ = 0;
};

}  // namespace glimpse
