#include "learn/gradient/centring.h"

namespace glimpse {

Centring::Centring(bool on, std::size_t most) : on_(on), deviations_(on ? most : 0) {}

void Centring::add_centres(const SecondMoments& moments, Plan& plan) const {
  if (!on_) return;
  for (const Attribute i : plan.attributes) plan.centres.push_back(moments[i].mean);
}

std::span<const double> Centring::deviations(const Plan& plan, std::span<const double> values) {
  if (!on_) return values;
  for (std::size_t a = 0; a < values.size(); ++a) deviations_[a] = values[a] - plan.centres[a];
  return std::span(deviations_).first(values.size());
}

void Centring::save(State& state) const {
  if (on_) product_.save(state);
}

Status Centring::restore(const State& state) {
  if (!on_) return {};
  return product_.restore(state);
}

}  // namespace glimpse
