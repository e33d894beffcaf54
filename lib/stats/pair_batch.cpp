#include "stats/pair_batch.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace glimpse {

namespace {
constexpr std::size_t kParts = 64;  // about; some ten microseconds each
}  // namespace

void KeptPairs::reserve() {
  attributes.reserve(kMostValues);
  weights.reserve(kMostValues / kLeastSeen);
  groups.reserve(kMostValues / kLeastSeen);
  u.resize(kMostValues + SeenValues::kBehind);  // the last: where there is room for it there is for all
}

void KeptPairs::clear() {
  attributes.clear();
  weights.clear();
  groups.clear();
  values = 0;
  visits = 0;
  pairs = 0;
}

// Sorted by counting: a row's visits are in the examples' order.
void PairWork::begin(KeptPairs& kept, PairSums* pairs, std::size_t dimension) {
  // First: without memory for these nothing has changed.
  ends_.assign(dimension + 1, 0);
  by_row_.reserve(KeptPairs::kMostValues);
  by_row_.resize(kept.visits);
  rows_.reserve(kParts + 2);
  std::swap(kept, adding_);
  pairs_ = pairs;
  dimension_ = dimension;
  for (const SeenGroup& group : adding_.groups)
    for (std::uint32_t entry = group.begin; entry + 1 < group.end; ++entry)
      ++ends_[adding_.attributes[entry] + std::size_t{1}];
  for (std::size_t i = 0; i < dimension; ++i) ends_[i + 1] += ends_[i];
  for (std::uint32_t g = 0; g < adding_.groups.size(); ++g)
    for (std::uint32_t entry = adding_.groups[g].begin; entry + 1 < adding_.groups[g].end; ++entry)
      by_row_[ends_[adding_.attributes[entry]]++] = {entry, g};
  rows_.clear();
  const std::size_t enough = adding_.visits / kParts + 1;
  std::size_t begin = 0;
  for (std::size_t i = 0; i + 1 < dimension; ++i) {
    if (ends_[i] - begin < enough && i + 2 < dimension) continue;
    rows_.push_back(static_cast<std::uint32_t>(i + 1));
    begin = ends_[i];
  }
  parts_ = rows_.size();
  is_used_ = true;
  const std::lock_guard lock(mutex_);
  next_ = 0;
  open_ = parts_;
  begun_.store(0, std::memory_order_relaxed);
}

bool PairWork::begin_part(Part& part) {
  const std::lock_guard lock(mutex_);
  if (next_ == open_) return false;
  part = {next_ == 0 ? 0 : rows_[next_ - 1], rows_[next_]};
  ++running_;
  begun_.store(++next_, std::memory_order_relaxed);
  return true;
}

std::size_t PairWork::add(const Part& part) {
  const std::size_t first = part.first_row > 0 ? ends_[part.first_row - 1] : 0;
  std::size_t begin = first;
  for (std::size_t i = part.first_row; i < part.end_row; ++i) {
    const std::size_t end = ends_[i];
    if (begin < end)
      add_to_row_(pairs_ + (pair_row(i, dimension_) + i + 1), i, dimension_ - i - 1,
                  {by_row_.data() + begin, end - begin}, adding_.seen());
    begin = end;
  }
  return begin - first;
}

void PairWork::end_part() {
  const std::lock_guard lock(mutex_);
  if (--running_ == 0 && next_ == open_) ended_.notify_all();
}

bool PairWork::help() {
  Part part;
  if (!begin_part(part)) return false;
  add(part);
  end_part();
  return true;
}

void PairWork::add_some(std::size_t visits) {
  Part part;
  for (std::size_t done = 0; done < visits && begin_part(part);) {
    done += std::max<std::size_t>(add(part), 1);
    end_part();
  }
}

bool PairWork::is_done() {
  if (!is_used_) return true;
  {
    const std::lock_guard lock(mutex_);
    if (next_ < open_ || running_ > 0) return false;
    next_ = open_ = 0;
  }
  adding_.clear();
  is_used_ = false;
  return true;
}

void PairWork::finish() {
  if (!is_used_) return;
  while (help()) continue;
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return running_ == 0; });
  lock.unlock();
  is_done();
}

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
