#include "sampling/alias_table.h"

namespace glimpse {

void AliasTable::build(std::span<const double> weights) {
  const std::size_t n = weights.size();
  cells_.resize(n);
  work_.resize(n);
  double total = 0;
  for (const double weight : weights) total += weight;
  const double per_cell = static_cast<double>(n) / total;

  std::size_t light_end = 0;
  std::size_t heavy_begin = n;
  for (std::size_t i = 0; i < n; ++i) {
    cells_[i] = {weights[i] * per_cell, static_cast<std::uint32_t>(i)};
    if (cells_[i].threshold < 1) {
      work_[light_end++] = static_cast<std::uint32_t>(i);
    } else {
      work_[--heavy_begin] = static_cast<std::uint32_t>(i);
    }
  }
  // A light cell is filled up by a heavy item, which may become light itself and is then filled by the next.
  while (light_end > 0 && heavy_begin < n) {
    const std::uint32_t light = work_[--light_end];
    const std::uint32_t heavy = work_[heavy_begin];
    cells_[light].alias = heavy;
    cells_[heavy].threshold -= 1 - cells_[light].threshold;
    if (cells_[heavy].threshold < 1) {
      ++heavy_begin;
      work_[light_end++] = heavy;
    }
  }
  // What is left on either side differs from 1 by rounding alone.
  while (light_end > 0) cells_[work_[--light_end]].threshold = 1;
  while (heavy_begin < n) cells_[work_[heavy_begin++]].threshold = 1;
}

}  // namespace glimpse
