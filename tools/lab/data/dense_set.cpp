#include "lab/data/dense_set.h"

#include <numeric>
#include <utility>

namespace glimpse {

RowOrder natural_order(std::size_t n) {
  RowOrder order(n);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

RowOrder shuffled_order(std::size_t n, Random& random) {
  RowOrder order = natural_order(n);
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

DenseSet select_rows(const DenseSet& set, std::span<const std::uint32_t> rows) {
  DenseSet selected;
  selected.dimension = set.dimension;
  selected.values.reserve(rows.size() * set.dimension);
  selected.labels.reserve(rows.size());
  for (const std::uint32_t row : rows) selected.append(set.row(row), set.labels[row]);
  return selected;
}

}  // namespace glimpse
