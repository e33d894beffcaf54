#include "learn/draws/price_scale.h"

#include <algorithm>
#include <cmath>

namespace glimpse {

PriceScale::PriceScale(const Prices& prices, std::span<const Attribute> attributes,
                       std::span<const double> roots, double money, double draws, Draws kind) {
  Money cheapest = 0;
  Money dearest = 0;
  for (const Attribute i : attributes) {
    const Money price = prices.alone(i);
    if (price == 0) continue;
    if (cheapest == 0 || price < cheapest) cheapest = price;
    dearest = std::max(dearest, price);
  }
  if (cheapest == 0) return;  // nothing costs anything
  floor_ = static_cast<double>(cheapest);
  // What `draws` draws cost with κ = offset, which grows with κ.
  const auto spending = [&](double offset) {
    offset_ = offset;
    double sum = 0;
    for (std::size_t a = 0; a < attributes.size(); ++a)
      sum += roots[a] * (*this)(prices.alone(attributes[a]));
    double cost = 0;
    for (std::size_t a = 0; a < attributes.size(); ++a) {
      const Money price = prices.alone(attributes[a]);
      double count = draws * roots[a] * (*this)(price) / sum;
      if (kind == Draws::kDistinct) count = std::fmin(count, 1);
      cost += count * static_cast<double>(price);
    }
    return cost;
  };
  constexpr double kAll = std::numeric_limits<double>::infinity();
  if (spending(kAll) <= money) return;
  if (spending(0) >= money) return;
  // κ matters between a part of the lowest price and a multiple of the highest; a rounding of 1/16 of its
  // logarithm's range moves q by little.
  constexpr int kHalvings = 12;
  double low = std::log(floor_ / 16);
  double high = std::log(16 * static_cast<double>(dearest));
  for (int n = 0; n < kHalvings; ++n) {
    const double middle = (low + high) / 2;
    (spending(std::exp(middle)) <= money ? low : high) = middle;
  }
  offset_ = std::exp(low);
}

double PriceScale::operator()(Money price) const {
  if (std::isinf(offset_)) return 1;
  const double paid = std::fmax(static_cast<double>(price), floor_);
  return std::sqrt((floor_ + offset_) / (paid + offset_));
}

}  // namespace glimpse
