#include "stats/pair_batch.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace glimpse {

namespace {
constexpr std::size_t kSecondCache = std::size_t{1} << 20;  // bytes, of most processors
constexpr std::size_t kFewGroups = 8;                       // are added in no time
}  // namespace

bool PairBatch::is_worthwhile(std::size_t dimension, std::size_t seen) {
  return seen >= kLeastSeen && dimension <= std::size_t{std::numeric_limits<SeenAttribute>::max()} + 1 &&
         seen <= kMostValues && dimension * (dimension - 1) / 2 * sizeof(PairSums) > kSecondCache;
}

void PairBatch::Kept::reserve() {
  attributes.reserve(kMostValues);
  u.resize(kMostValues + SeenValues::kBehind);
  weights.reserve(kMostValues / kLeastSeen);
  groups.reserve(kMostValues / kLeastSeen);
}

void PairBatch::Kept::clear() {
  attributes.clear();
  weights.clear();
  groups.clear();
  values = 0;
  visits = 0;
  pairs = 0;
}

bool PairBatch::continues_group(std::span<const Attribute> attributes) const {
  if (kept_.groups.empty()) return false;
  const SeenGroup& last = kept_.groups.back();
  return last.examples < SeenGroup::kMostTogether &&
         std::equal(attributes.begin(), attributes.end(), kept_.attributes.begin() + last.begin,
                    kept_.attributes.end());
}

void PairBatch::keep(std::span<const Attribute> attributes, std::span<const double> u, double weight,
                     PairSums* pairs, std::size_t dimension, bool at_once) {
  const std::size_t count = attributes.size();
  const bool is_full = kept_.values + count > kMostValues || kept_.pairs > kMostPairs;
  if (!is_full && continues_group(attributes)) {
    ++kept_.groups.back().examples;
  } else {
    begin_group(pairs, dimension, is_full, at_once);
    if (kept_.u.empty()) kept_.reserve();
    const auto begin = static_cast<std::uint32_t>(kept_.attributes.size());
    for (const Attribute a : attributes) kept_.attributes.push_back(static_cast<SeenAttribute>(a));
    kept_.groups.push_back({begin, static_cast<std::uint32_t>(kept_.attributes.size()),
                            static_cast<std::uint32_t>(kept_.values),
                            static_cast<std::uint32_t>(kept_.weights.size()), 1});
    kept_.visits += count - 1;
  }
  std::copy(u.begin(), u.end(), kept_.u.begin() + static_cast<std::ptrdiff_t>(kept_.values));
  kept_.values += count;
  kept_.weights.push_back(weight);
  kept_.pairs += count * (count - 1) / 2;
  add_some(pairs, dimension, at_once ? 3 * count : count);
}

// The last group of kept_ is whole.
void PairBatch::begin_group(PairSums* pairs, std::size_t dimension, bool is_full, bool at_once) {
  if (adding_.groups.empty() && !kept_.groups.empty()) {
    if (kept_.groups.size() <= kFewGroups && (at_once || kept_.is_dense())) {
      std::swap(kept_, adding_);
      return add_groups(pairs, dimension);
    }
    is_full = is_full || at_once;
  }
  if (!is_full) return;
  add_some(pairs, dimension, std::numeric_limits<std::size_t>::max());
  std::swap(kept_, adding_);
  begin_adding(dimension);
}

// All that is left of adding_, which is not being added by rows.
void PairBatch::add_groups(PairSums* pairs, std::size_t dimension) {
  for (; next_group_ < adding_.groups.size(); ++next_group_)
    add_group_(pairs, dimension, adding_.groups[next_group_], adding_.seen());
  next_group_ = 0;
  adding_.clear();
}

void PairBatch::begin_adding(std::size_t dimension) {
  if (!adding_.is_dense()) begin_rows(dimension);
}

// Sorted by counting: a row's visits are in the examples' order.
void PairBatch::begin_rows(std::size_t dimension) {
  ends_.assign(dimension + 1, 0);
  by_row_.resize(adding_.visits);
  for (const SeenGroup& group : adding_.groups)
    for (std::uint32_t entry = group.begin; entry + 1 < group.end; ++entry)
      ++ends_[adding_.attributes[entry] + std::size_t{1}];
  for (std::size_t i = 0; i < dimension; ++i) ends_[i + 1] += ends_[i];
  for (std::uint32_t g = 0; g < adding_.groups.size(); ++g)
    for (std::uint32_t entry = adding_.groups[g].begin; entry + 1 < adding_.groups[g].end; ++entry)
      by_row_[ends_[adding_.attributes[entry]]++] = {entry, g};
  next_row_ = 0;
}

// The next ones, until they had so many visits or there are no more.
void PairBatch::add_some(PairSums* pairs, std::size_t dimension, std::size_t visits) {
  if (!ends_.empty()) return add_rows(pairs, dimension, visits);
  if (adding_.groups.empty() || visits == 0) return;
  for (std::size_t done = 0; next_group_ < adding_.groups.size() && done < visits; ++next_group_) {
    const SeenGroup& group = adding_.groups[next_group_];
    add_group_(pairs, dimension, group, adding_.seen());
    done += group.seen() * group.examples;
  }
  if (next_group_ == adding_.groups.size()) add_groups(pairs, dimension);
}

void PairBatch::add_rows(PairSums* pairs, std::size_t dimension, std::size_t visits) {
  std::size_t begin = next_row_ > 0 ? ends_[next_row_ - 1] : 0;
  const std::size_t enough = visits < adding_.visits - begin ? begin + visits : adding_.visits;
  for (; next_row_ + 1 < dimension && begin < enough; ++next_row_) {
    const std::size_t end = ends_[next_row_];
    if (begin < end)
      add_to_row_(pairs + (pair_row(next_row_, dimension) + next_row_ + 1), next_row_,
                  dimension - next_row_ - 1, {by_row_.data() + begin, end - begin}, adding_.seen());
    begin = end;
  }
  if (next_row_ + 1 < dimension && begin < adding_.visits) return;
  adding_.clear();
  ends_.clear();
  next_row_ = 0;
}

bool PairBatch::settle_some(PairSums* pairs, std::size_t dimension, std::size_t visits) {
  add_some(pairs, dimension, visits);
  if (adding_.groups.empty() && !kept_.groups.empty()) {
    std::swap(kept_, adding_);
    begin_adding(dimension);
    add_some(pairs, dimension, visits);
  }
  return empty();
}

void PairBatch::settle(PairSums* pairs, std::size_t dimension) {
  while (!settle_some(pairs, dimension, std::numeric_limits<std::size_t>::max())) continue;
}

void PairBatch::clear() { *this = PairBatch(); }

}  // namespace glimpse
