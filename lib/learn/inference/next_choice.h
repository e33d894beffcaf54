#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "base/types.h"

namespace glimpse {

/// An attribute worth knowing.
struct NextChoice {
  Attribute attribute = 0;
  double gain = 0;  ///< by how much knowing it lowers the expected squared error, ridge included
  double cost = 0;
};

/// Of the attributes that features belong to, those of one side by side, the one with the largest gain/cost;
/// those that cost 0 come first, by gain; a cost that is infinite, negative or NaN: not to be had. Nothing
/// where no gain is left. Equals: the first. gain(s): what feature s adds to the gain of its attribute, which
/// is `most` at most.
template <class Gain>
std::optional<NextChoice> best_choice(std::span<const Attribute> owners, const Gain& gain, double most,
                                      const std::function<double(Attribute)>& cost) {
  std::optional<NextChoice> best;
  const auto better = [&](const NextChoice& a) {
    if (!best) return true;
    if ((a.cost == 0) != (best->cost == 0)) return a.cost == 0;
    if (a.cost == 0) return a.gain > best->gain;
    return a.gain * best->cost > best->gain * a.cost;
  };
  for (std::size_t s = 0; s < owners.size();) {
    const Attribute attribute = owners[s];
    double sum = 0;
    for (; s < owners.size() && owners[s] == attribute; ++s) sum += gain(s);
    if (!(sum > 0)) continue;
    const double price = cost(attribute);
    if (!(price >= 0) || !std::isfinite(price)) continue;
    const NextChoice choice{attribute, std::min(sum, most), price};
    if (choice.gain > 0 && better(choice)) best = choice;
  }
  return best;
}

}  // namespace glimpse
