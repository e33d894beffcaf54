#include "learn/draws/together_draws.h"

#include <algorithm>

namespace glimpse {

FreeDraws free_draws(std::span<const Money> ascending, Money left, std::size_t most) {
  std::size_t n = most > 0 ? ascending.size() : 0;
  // Prices are capped, so that sums of two never wrap.
  while (n > 1 && (most < 2 || ascending[n - 1] + ascending[n - 2] > left)) --n;
  if (n == 1 && ascending[0] > left) n = 0;
  FreeDraws result{n, 0};
  while (result.draws < std::min(n, most) && ascending[n - 1 - result.draws] <= left)
    left -= ascending[n - 1 - result.draws++];
  return result;
}

void TogetherDraws::choose(std::span<const Attribute> certain, std::span<const Attribute> others,
                           const Prices& prices, Money left, std::size_t draws) {
  certain_.assign(certain.begin(), certain.end());
  std::vector<Money> ascending;
  for (const Attribute i : others) ascending.push_back(prices.alone(i));
  const FreeDraws free = free_draws(ascending, left, draws);
  others_.assign(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(free.population));
  free_ = free.draws;
  table_ = others_.empty() ? LevelTable() : LevelTable(others_.size());
}

}  // namespace glimpse
