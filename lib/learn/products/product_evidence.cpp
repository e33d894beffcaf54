#include "learn/products/product_evidence.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/covariance/attribute_units.h"

namespace glimpse {

namespace {

constexpr double kDependence = 2;        // of a product and an attribute that it is not made of
constexpr double kFewestSeen = 2;        // reveals: sums of fewer are of no use
constexpr double kFewestEffective = 32;  // what fewer say of covariances is of no use
constexpr double kMostOfHalves = 16;     // one wild product is not to decide for all

// What is as far out in a normal distribution as t is in Student's (Wallace 1959).
double normal_deviate(double t, double freedom) {
  if (!(freedom > 0)) return 0;
  const double deviate = std::sqrt(freedom * std::log1p(t * t / freedom));
  return std::copysign(deviate * (8 * freedom + 1) / (8 * freedom + 3), t);
}

double chance_beyond(double deviate) { return std::erfc(std::abs(deviate) / std::sqrt(2.0)); }

// φ, of the products in the slots from `first` on.
double spread_of_halves(const PairSnapshot& moments, std::size_t first) {
  const double counts = moments.examples_a_weight();
  double sum = 0;
  double count = 0;
  for (std::size_t m = first; m < moments.dimension(); ++m) {
    const auto& halves = moments[m].halves;
    if (!(counts * halves[0].weight > 1) || !(counts * halves[1].weight > 1)) continue;
    const double difference =
        moments.label_co_moment(m, 0) / halves[0].weight - moments.label_co_moment(m, 1) / halves[1].weight;
    const double expected =
        moments[m].variance() * moments.label().variance() * (1 / halves[0].weight + 1 / halves[1].weight);
    if (!(expected > 0)) continue;
    sum += std::min(difference * difference / expected, kMostOfHalves);
    ++count;
  }
  return count > 0 ? std::max(sum / count, 1.0) : 1;
}

}  // namespace

std::vector<double> product_evidence(const PairSnapshot& moments, std::span<const double> weights,
                                     double noise) {
  const std::size_t d = weights.size();
  const std::size_t products = moments.dimension() - d;
  const double counts = moments.examples_a_weight();
  std::vector<double> explained(products);  // Σ_i w_i·c_mi
  std::vector<double> left(products);       // Σ_i w_i²v_i·u_mi
  for (std::size_t i = 0; i < d; ++i) {
    const double square = weights[i] * weights[i] * moments[i].variance();
    for (std::size_t m = 0; m < products; ++m) {
      const double n = counts * moments[d + m].weight();
      if (!(n > kFewestSeen)) continue;
      const double both = counts * moments.weight(i, d + m);
      const double share = both / (both + 1);
      if (both > 0)
        explained[m] += weights[i] * share * moments.co_moment(i, d + m) / moments.weight(i, d + m);
      left[m] += square * (1 - share) * (1 - share) / n;
      if (both > 0) left[m] += square * share * share * std::max(1 / both - 1 / n, 0.0);
    }
  }
  const double spread = spread_of_halves(moments, d);
  std::vector<double> deviates(products);
  for (std::size_t m = 0; m < products; ++m) {
    const AttributeSums& sums = moments[d + m];
    const double n = counts * sums.weight();
    const double effective = counts * effective_count(sums);
    if (!(effective > kFewestEffective)) continue;
    const double square = spread * sums.variance() * (noise / n + kDependence * left[m]);
    if (!(square > 0)) continue;
    const double target =
        (moments.label_co_moment(d + m, 0) + moments.label_co_moment(d + m, 1)) / sums.weight();
    deviates[m] = normal_deviate((target - explained[m]) / std::sqrt(square), effective - 1);
  }
  return deviates;
}

std::vector<std::size_t> significant(std::span<const double> deviates, double gate, double share) {
  std::vector<std::size_t> order(deviates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double x = std::abs(deviates[a]);
    const double y = std::abs(deviates[b]);
    return x > y || (x == y && a < b);
  });
  const auto all = static_cast<double>(order.size());
  if (order.empty() || !(chance_beyond(deviates[order[0]]) * all <= gate)) return {};
  std::size_t taken = 0;
  for (std::size_t k = 0; k < order.size(); ++k)
    if (chance_beyond(deviates[order[k]]) * all <= share * static_cast<double>(k + 1)) taken = k + 1;
  order.resize(taken);
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace glimpse
