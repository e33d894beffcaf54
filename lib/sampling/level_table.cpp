#include "sampling/level_table.h"

#include <algorithm>

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

void LevelTable::begin_levels(std::uint32_t lowest, std::uint32_t highest) {
  lowest_ = lowest;
  shift_ = 19;  // 16 levels to an octave at the finest: more would not lower the variance visibly
  while (((highest - lowest) >> shift_) >= kLevels) ++shift_;
  first_.fill(0);
}

void LevelTable::finish_levels() {
  std::array<double, kLevels> weights{};
  total_ = 0;
  for (std::size_t level = 0; level < kLevels; ++level) {
    const auto count = static_cast<double>(first_[level + 1]);
    const std::uint32_t middle =
        lowest_ + (static_cast<std::uint32_t>(level) << shift_) + (shift_ > 0 ? 1U << (shift_ - 1) : 0);
    value_[level] = count > 0 ? static_cast<double>(std::bit_cast<float>(middle)) : 0;
    weights[level] = count * value_[level];
    total_ += weights[level];
    first_[level + 1] += first_[level];
  }
  levels_.build(weights);

  std::array<std::uint64_t, kLevels> next{};
  for (std::size_t level = 0; level < kLevels; ++level) next[level] = first_[level];
  for (std::size_t i = 0; i < level_.size(); ++i) order_[next[level_[i]]++] = static_cast<Attribute>(i);
}

bool LevelTable::is_sound(std::span<const std::uint8_t> levels, std::uint32_t lowest_key,
                          std::uint32_t shift) {
  constexpr std::uint64_t kInfinity = 0x7f800000;  // as the bits of a float; those of numbers are below
  if (levels.empty() || shift < 1 || shift > 31) return false;
  const std::uint64_t highest = *std::max_element(levels.begin(), levels.end());
  return lowest_key + (highest << shift) + (1U << (shift - 1)) < kInfinity;
}

bool LevelTable::restore(std::span<const std::uint8_t> levels, std::uint32_t lowest_key,
                         std::uint32_t shift) {
  if (levels.size() != level_.size() || !is_sound(levels, lowest_key, shift)) return false;
  lowest_ = lowest_key;
  shift_ = shift;
  first_.fill(0);
  for (std::size_t i = 0; i < level_.size(); ++i) {
    level_[i] = levels[i];
    ++first_[level_[i] + 1U];
  }
  finish_levels();
  return true;
}

}  // namespace glimpse
