#include "learn/planners/centring.h"

namespace glimpse {

Centring::Centring(bool on, std::size_t most) : on_(on), deviations_(on ? most : 0) {}

void Centring::save(State& state) const {
  if (on_) product_.save(state);
}

Status Centring::restore(const State& state) {
  if (!on_) return {};
  return product_.restore(state);
}

}  // namespace glimpse
