#pragma once

#include <array>
#include <cstdint>

namespace glimpse {

/// A seedable, serialisable source of random numbers whose sequence is the same on every machine and
/// compiler. The generator is xoshiro256++ (Blackman & Vigna, "Scrambled linear pseudorandom number
/// generators", 2021), seeded through SplitMix64 as its authors advise. Period 2^256 − 1. Not for secrets.
/// Thread-safety: none; each owner has its own.
class Random {
 public:
  using State = std::array<std::uint64_t, 4>;

  explicit Random(std::uint64_t seed);

  /// Continues a sequence whose state() was kept. An all-zero state (which the generator never reaches) is
  /// replaced by that of seed 0.
  static Random from_state(const State& state);

  /// The next 64 bits, each fair.
  std::uint64_t bits() {
    const std::uint64_t result = rotate(s_[0] + s_[3], 23) + s_[0];
    const std::uint64_t t = s_[1] << 17;
    s_[2] ^= s_[0];
    s_[3] ^= s_[1];
    s_[1] ^= s_[2];
    s_[0] ^= s_[3];
    s_[2] ^= t;
    s_[3] = rotate(s_[3], 45);
    return result;
  }

  /// Uniform on the multiples of 2^-53 in [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

  /// Uniform on {0, …, n − 1}, without bias (Lemire, "Fast random integer generation in an interval", 2019).
  /// n ≥ 1.
  std::uint64_t below(std::uint64_t n) {
    __extension__ using Wide = unsigned __int128;
    Wide product = static_cast<Wide>(bits()) * n;
    auto low = static_cast<std::uint64_t>(product);
    if (low < n) {
      const std::uint64_t threshold = (0 - n) % n;
      while (low < threshold) {
        product = static_cast<Wide>(bits()) * n;
        low = static_cast<std::uint64_t>(product);
      }
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  const State& state() const { return s_; }

  /// Another sequence that this one's state determines: as good as independent of it.
  Random apart() const {
    Random copy = *this;
    return Random(copy.bits());
  }

 private:
  static std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

  State s_;
};

}  // namespace glimpse
