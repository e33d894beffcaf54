#include "stats/target_sums.h"

#include <algorithm>
#include <cstring>

namespace glimpse {

namespace {
constexpr std::size_t kDoublesACell = sizeof(TargetSums::Cell) / sizeof(double);
constexpr std::size_t kDoublesATotal = sizeof(TargetSums::Total) / sizeof(double);
}  // namespace

void TargetSums::grow(std::size_t count) {
  while (cells_.size() < count) {
    cells_.emplace_back(dimension_);
    totals_.emplace_back();
  }
}

void TargetSums::add(std::size_t target, std::span<const Attribute> seen, std::span<const double> offsets,
                     std::size_t half, double weight) {
  totals_[target].sum += weight;
  totals_[target].square += weight;
  std::vector<Cell>& row = cells_[target];
  for (std::size_t a = 0; a < seen.size(); ++a) {
    Cell& cell = row[seen[a]];
    cell.label[half] += weight;
    cell.product[half] += weight * offsets[a];
  }
}

void TargetSums::decay(double factor) {
  for (Total& total : totals_) {
    total.sum *= factor;
    total.square *= factor;
  }
  for (std::vector<Cell>& row : cells_)
    for (Cell& cell : row) cell = cell * factor;
}

void TargetSums::forget_attribute(std::size_t i) {
  for (std::vector<Cell>& row : cells_) row[i] = Cell();
}

// With u = u' + δ: Σ u·v = Σ u'·v + δ·Σ v.
void TargetSums::merge(const TargetSums& other, double ratio, std::span<const double> offsets) {
  grow(other.size());
  for (std::size_t t = 0; t < other.size(); ++t) {
    totals_[t].sum += ratio * other.totals_[t].sum;
    totals_[t].square += ratio * other.totals_[t].square;
    for (std::size_t i = 0; i < dimension_; ++i) {
      Cell& ours = cells_[t][i];
      const Cell& theirs = other.cells_[t][i];
      for (std::size_t h = 0; h < 2; ++h) {
        ours.label[h] += ratio * theirs.label[h];
        ours.product[h] += ratio * (theirs.product[h] + offsets[i] * theirs.label[h]);
      }
    }
  }
}

void TargetSums::save(State& state, const std::string& name) const {
  if (cells_.empty()) return;
  const auto cells = state.put<double>(name + ".targets", size() * dimension_ * kDoublesACell);
  for (std::size_t t = 0; t < size() && dimension_ > 0; ++t)
    std::memcpy(cells.data() + t * dimension_ * kDoublesACell, cells_[t].data(), dimension_ * kBytesACell);
  const auto totals = state.put<double>(name + ".target_totals", size() * kDoublesATotal);
  std::memcpy(totals.data(), totals_.data(), totals.size_bytes());
}

Status TargetSums::restore(const State& state, const std::string& name) {
  cells_.clear();
  totals_.clear();
  if (state.find(name + ".target_totals") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto totals, state.get<double>(name + ".target_totals", State::kAnyCount));
  const std::size_t count = totals.size() / kDoublesATotal;
  if (totals.size() != count * kDoublesATotal)
    return failure(ErrorCode::kCorrupt, "{}.target_totals has {} numbers, must have two of each target", name,
                   totals.size());
  GLIMPSE_TRY_ASSIGN(const auto cells,
                     state.get<double>(name + ".targets", count * dimension_ * kDoublesACell));
  grow(count);
  if (count > 0) std::memcpy(static_cast<void*>(totals_.data()), totals.data(), totals.size_bytes());
  for (std::size_t t = 0; t < count && dimension_ > 0; ++t)
    std::memcpy(static_cast<void*>(cells_[t].data()), cells.data() + t * dimension_ * kDoublesACell,
                dimension_ * kBytesACell);
  return {};
}

}  // namespace glimpse
