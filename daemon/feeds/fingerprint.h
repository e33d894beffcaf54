#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace glimpse {

/// What tells a file of which something was read from another file of the same name: its first 4 KiB, and
/// the last 4 KiB before the place that was reached. Content between the two is not compared. Memory: 8 KiB.
class Fingerprint {
 public:
  static constexpr std::size_t kBytes = 4096;

  Fingerprint() = default;
  /// Of content whose first and last kBytes (all of it where it is shorter) are known.
  Fingerprint(std::string_view head, std::string_view tail) : head_(head), tail_(tail) {}

  /// The next bytes that were read.
  void add(std::string_view bytes);

  /// XXH3-64 (seed 0) of the head followed by the tail; kept in checkpoints. Never 0, which stands for
  /// "not known".
  std::uint64_t value() const;

 private:
  std::string head_;
  std::string tail_;
};

}  // namespace glimpse
