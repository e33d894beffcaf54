#include "stats/pair_batch.h"

#include <limits>
#include <utility>

namespace glimpse {

namespace {
constexpr std::size_t kSecondCache = std::size_t{1} << 20;  // bytes, of most processors
}  // namespace

bool PairBatch::is_worthwhile(std::size_t dimension, std::size_t seen) {
  return seen >= kLeastSeen && dimension <= std::size_t{std::numeric_limits<SeenAttribute>::max()} + 1 &&
         seen <= kMostValues && dimension * (dimension - 1) / 2 * sizeof(PairSums) > kSecondCache;
}

void PairBatch::keep(std::span<const Attribute> attributes, std::span<const double> u, double weight,
                     PairSums* pairs, std::size_t dimension) {
  const std::size_t count = attributes.size();
  if (kept_.attributes.size() + count > kMostValues || kept_.pairs > kMostPairs) {
    add_rows(pairs, dimension, adding_.visits);
    std::swap(kept_, adding_);
    begin_rows(dimension);
  }
  if (kept_.attributes.capacity() == 0) {
    kept_.attributes.reserve(kMostValues);
    kept_.u.reserve(kMostValues);
    kept_.examples.reserve(kMostValues / kLeastSeen);
  }
  for (const Attribute a : attributes) kept_.attributes.push_back(static_cast<SeenAttribute>(a));
  kept_.u.insert(kept_.u.end(), u.begin(), u.end());
  kept_.examples.push_back({static_cast<std::uint32_t>(kept_.attributes.size()), weight});
  kept_.visits += count - 1;
  kept_.pairs += count * (count - 1) / 2;
  add_rows(pairs, dimension, count);
}

// Sorted by counting: a row's visits are in the examples' order.
void PairBatch::begin_rows(std::size_t dimension) {
  ends_.assign(dimension + 1, 0);
  by_row_.resize(adding_.visits);
  std::uint32_t entry = 0;
  for (const SeenExample& example : adding_.examples) {
    for (; entry + 1 < example.end; ++entry) ++ends_[adding_.attributes[entry] + std::size_t{1}];
    ++entry;
  }
  for (std::size_t i = 0; i < dimension; ++i) ends_[i + 1] += ends_[i];
  entry = 0;
  for (std::uint32_t k = 0; k < adding_.examples.size(); ++k) {
    for (; entry + 1 < adding_.examples[k].end; ++entry)
      by_row_[ends_[adding_.attributes[entry]]++] = {entry, k};
    ++entry;
  }
  next_row_ = 0;
}

// The next rows, until they had so many visits or there are no more.
void PairBatch::add_rows(PairSums* pairs, std::size_t dimension, std::size_t visits) {
  if (next_row_ == ends_.size()) return;
  std::size_t begin = next_row_ > 0 ? ends_[next_row_ - 1] : 0;
  const std::size_t enough = begin + visits;
  const SeenValues seen{adding_.examples.data(), adding_.attributes.data(), adding_.u.data()};
  for (; next_row_ + 1 < dimension && begin < enough; ++next_row_) {
    const std::size_t end = ends_[next_row_];
    if (begin < end)
      add_to_row_(pairs + (pair_row(next_row_, dimension) + next_row_ + 1), next_row_,
                  dimension - next_row_ - 1, {by_row_.data() + begin, end - begin}, seen);
    begin = end;
  }
  if (next_row_ + 1 < dimension && begin < adding_.visits) return;
  adding_.attributes.clear();
  adding_.u.clear();
  adding_.examples.clear();
  adding_.visits = 0;
  adding_.pairs = 0;
  ends_.clear();
  next_row_ = 0;
}

bool PairBatch::settle_some(PairSums* pairs, std::size_t dimension, std::size_t visits) {
  add_rows(pairs, dimension, visits);
  if (adding_.visits == 0 && kept_.visits > 0) {
    std::swap(kept_, adding_);
    begin_rows(dimension);
    add_rows(pairs, dimension, visits);
  }
  return empty();
}

void PairBatch::settle(PairSums* pairs, std::size_t dimension) {
  while (!settle_some(pairs, dimension, adding_.visits)) continue;
}

void PairBatch::clear() { *this = PairBatch(); }

}  // namespace glimpse
