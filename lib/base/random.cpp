#include "base/random.h"

namespace glimpse {

Random::Random(std::uint64_t seed) : s_{} {
  for (std::uint64_t& word : s_) {
    seed += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    word = z ^ (z >> 31);
  }
}

Random Random::from_state(const State& state) {
  Random random(0);
  if (state != State{}) random.s_ = state;
  return random;
}

}  // namespace glimpse
