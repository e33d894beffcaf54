#include "stats/pair_work.h"

#include <algorithm>
#include <utility>

namespace glimpse {

namespace {
constexpr std::size_t kParts = 64;  // about; some ten microseconds each
}  // namespace

void KeptPairs::reserve() {
  attributes.reserve(kMostValues);
  u.resize(kMostValues + SeenValues::kBehind);
  weights.reserve(kMostValues / kLeastSeen);
  groups.reserve(kMostValues / kLeastSeen);
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

}  // namespace glimpse
