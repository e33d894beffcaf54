#include "learn/products/product_evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
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

double covariance(const PairSnapshot& moments, std::size_t i, std::size_t j) {
  if (i == j) return moments[i].variance();
  const double both = moments.weight(std::min(i, j), std::max(i, j));
  return both > 0 ? moments.co_moment(std::min(i, j), std::max(i, j)) / both : 0;
}

double label_covariance(const PairSnapshot& moments, std::size_t i) {
  const double weight = moments[i].weight();
  return weight > 0 ? (moments.label_co_moment(i, 0) + moments.label_co_moment(i, 1)) / weight : 0;
}

// cov(x_i, y − Σ_j w_jx_j) of the attributes: what the linear model leaves, as its weights are shrunk.
std::vector<double> left_of_attributes(const PairSnapshot& moments, std::span<const double> weights) {
  std::vector<double> left(weights.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    left[i] = label_covariance(moments, i);
    for (std::size_t j = 0; j < left.size(); ++j)
      if (weights[j] != 0) left[i] -= weights[j] * covariance(moments, i, j);
  }
  return left;
}

// What a product's own factors explain of it, as coefficients: x²y is partly a multiple of y. Elimination in
// the order of the factors; one that the others determine has none.
struct Factors {
  std::array<std::size_t, 3> of{};
  std::array<double, 3> coefficients{};
  std::size_t count = 0;

  Factors(const PairSnapshot& moments, std::size_t slot, std::initializer_list<std::size_t> factors) {
    constexpr double kDetermined = 1e-6;
    for (const std::size_t i : factors)
      if (count == 0 || of[count - 1] != i) of[count++] = i;
    double rows[3][4];
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b < count; ++b) rows[a][b] = covariance(moments, of[a], of[b]);
      rows[a][count] = covariance(moments, of[a], slot);
    }
    bool is_used[3] = {};
    for (std::size_t a = 0; a < count; ++a) {
      if (!(rows[a][a] > kDetermined * moments[of[a]].variance())) continue;
      is_used[a] = true;
      for (std::size_t b = 0; b < count; ++b) {
        if (b == a) continue;
        const double share = rows[b][a] / rows[a][a];
        for (std::size_t c = a; c <= count; ++c) rows[b][c] -= share * rows[a][c];
      }
    }
    for (std::size_t a = 0; a < count; ++a) coefficients[a] = is_used[a] ? rows[a][count] / rows[a][a] : 0;
  }
  double times(std::span<const double> values) const {
    double sum = 0;
    for (std::size_t a = 0; a < count; ++a) sum += coefficients[a] * values[of[a]];
    return sum;
  }
};

// What the linear model leaves of each product because it leaves that of the product's factors.
std::vector<double> left_of_factors(const PairSnapshot& moments, const ProductSlots& slots,
                                    std::span<const double> weights) {
  const std::vector<double> left = left_of_attributes(moments, weights);
  std::vector<double> result;
  slots.for_each([&](std::uint32_t slot, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
    const std::size_t three = k == ProductSlots::kNone ? j : k;
    result.push_back(
        Factors(moments, slot, {slots.member(i), slots.member(j), slots.member(three)}).times(left));
  });
  return result;
}

}  // namespace

std::vector<double> product_evidence(const PairSnapshot& moments, const ProductSlots& slots,
                                     std::span<const double> weights, double noise) {
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
  const std::vector<double> factors = left_of_factors(moments, slots, weights);
  const double spread = spread_of_halves(moments, d);
  std::vector<double> deviates(products);
  for (std::size_t m = 0; m < products; ++m) {
    const AttributeSums& sums = moments[d + m];
    const double n = counts * sums.weight();
    const double effective = counts * effective_count(sums);
    if (!(effective > kFewestEffective)) continue;
    const double square = spread * sums.variance() * (noise / n + kDependence * left[m]);
    if (!(square > 0)) continue;
    const double rest = label_covariance(moments, d + m) - explained[m] - factors[m];
    deviates[m] = normal_deviate(rest / std::sqrt(square), effective - 1);
  }
  return deviates;
}

std::vector<double> rough_evidence(const PairMoments& moments, const ProductSlots& slots,
                                   std::span<const double> weights, double noise) {
  constexpr std::size_t kMostOfRough = 64;
  constexpr double kFewest = 8;
  const std::size_t d = weights.size();
  std::vector<std::size_t> order(d);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto worth = [&](std::size_t i) { return weights[i] * weights[i] * moments[i].variance(); };
  const std::size_t most = std::min(d, kMostOfRough);
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(most),
                            [&](std::size_t a, std::size_t b) { return worth(a) > worth(b); });
  order.resize(most);
  std::ranges::sort(order);
  const double counts = moments.examples_a_weight();
  const double label = moments.label().mean() - moments.label().reference;
  std::vector<double> deviates(slots.all() - d);
  for (std::size_t m = 0; m < deviates.size(); ++m) {
    const AttributeSums product = moments[d + m];
    const double weight = product.weight();
    if (!(counts * weight >= kFewest)) continue;
    double sum = 0;
    for (const AttributeSums::Half& half : product.halves) sum += half.product - label * half.sum;
    const double mean = product.sum() / weight;
    for (const AttributeSums::Half& half : product.halves) sum -= mean * (half.label - label * half.weight);
    double rest = sum / weight;
    for (const std::size_t i : order) {
      if (weights[i] == 0) continue;
      const double both = moments.pair(i, d + m).weight;
      if (both > 0)
        rest -= weights[i] * moments.co_moment(i, d + m, moments[i].mean(), product.mean()) / both;
    }
    const double square = product.variance() * noise / (counts * weight);
    if (square > 0) deviates[m] = rest / std::sqrt(square);
  }
  return deviates;
}

std::vector<std::size_t> significant(std::span<const double> deviates, double gate, double share,
                                     double tried) {
  std::vector<std::size_t> order(deviates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double x = std::abs(deviates[a]);
    const double y = std::abs(deviates[b]);
    return x > y || (x == y && a < b);
  });
  const double all = std::max(static_cast<double>(order.size()), tried);
  if (order.empty() || !(chance_beyond(deviates[order[0]]) * all <= gate)) return {};
  std::size_t taken = 0;
  for (std::size_t k = 0; k < order.size(); ++k)
    if (chance_beyond(deviates[order[k]]) * all <= share * static_cast<double>(k + 1)) taken = k + 1;
  order.resize(taken);
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace glimpse
