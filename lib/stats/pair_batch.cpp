#include "stats/pair_batch.h"

#include <algorithm>
#include <limits>

namespace glimpse {

namespace {
constexpr std::size_t kSecondCache = std::size_t{1} << 20;  // bytes, of most processors
constexpr std::size_t kFewGroups = 8;                       // are added in no time
}  // namespace

PairBatch& PairBatch::operator=(PairBatch&& other) noexcept {
  std::swap(kept_, other.kept_);
  std::swap(work_, other.work_);
  return *this;
}

bool PairBatch::is_worthwhile(std::size_t dimension, std::size_t seen) {
  return seen >= kLeastSeen && dimension <= std::size_t{std::numeric_limits<SeenAttribute>::max()} + 1 &&
         seen <= kMostValues && dimension * (dimension - 1) / 2 * sizeof(PairSums) > kSecondCache;
}

bool PairBatch::continues_group(std::span<const Attribute> attributes) const {
  if (kept_.empty()) return false;
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
  if (!work_) return;
  if (at_once)
    work_->add_some(3 * count);
  else
    keep_pace();
}

// All parts are begun when as much is kept again. Helpers are given the first half of that time.
void PairBatch::keep_pace() {
  const std::size_t parts = work_->parts();
  if (work_->begun() >= parts) return;
  std::size_t due = std::max(parts * kept_.values / kMostValues, parts * kept_.pairs / kMostPairs) + 2;
  if (helpers_) due = 2 * due > parts ? 2 * due - parts : 0;
  while (work_->begun() < std::min(due, parts)) work_->add_some(1);
}

// The last group of kept_ is whole.
void PairBatch::begin_group(PairSums* pairs, std::size_t dimension, bool is_full, bool at_once) {
  if (kept_.empty()) return;
  if (!is_full && !at_once && !goes_by_groups(at_once)) return;
  if (is_full && work_) work_->finish();
  if (work_ && !work_->is_done()) return;
  if (goes_by_groups(at_once)) return add_groups(pairs, dimension);
  begin_work(pairs, dimension);
  if (helpers_ && !at_once) helpers_->post(work_);
}

// What is dense gains nothing by rows, unless others add them.
bool PairBatch::goes_by_groups(bool at_once) const {
  return kept_.groups.size() <= kFewGroups && (at_once || (!helpers_ && kept_.is_dense()));
}

void PairBatch::add_groups(PairSums* pairs, std::size_t dimension) {
  for (const SeenGroup& group : kept_.groups) add_group_(pairs, dimension, group, kept_.seen());
  kept_.clear();
}

void PairBatch::begin_work(PairSums* pairs, std::size_t dimension) {
  if (!work_) work_ = std::make_shared<PairWork>();
  work_->begin(kept_, pairs, dimension);
}

bool PairBatch::settle_some(PairSums* pairs, std::size_t dimension, std::size_t visits) {
  if (work_ && !work_->is_done()) {
    work_->add_some(visits);
    if (work_->begun() == work_->parts()) work_->finish();
    return empty();
  }
  if (kept_.empty()) return true;
  begin_work(pairs, dimension);
  return settle_some(pairs, dimension, visits);
}

void PairBatch::settle(PairSums* pairs, std::size_t dimension) {
  if (work_) work_->finish();
  if (kept_.empty()) return;
  if (kept_.groups.size() <= kFewGroups) return add_groups(pairs, dimension);
  begin_work(pairs, dimension);
  work_->finish();
}

void PairBatch::clear() {
  if (work_) work_->finish();
  kept_.clear();
}

}  // namespace glimpse
