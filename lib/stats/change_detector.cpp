#include "stats/change_detector.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace glimpse {

namespace {

constexpr std::uint64_t kMeansAComparison = 4;
constexpr std::size_t kBucketsASize = 5;  // ADWIN's M
constexpr double kLargest = 1e140;
constexpr double kMostInBucket = 0x1p50;  // of a state: means that no stream reaches
constexpr double kNormalQuantile = 6.5;   // of 1 − 4·10⁻¹¹

}  // namespace

// Of `freedom` degrees what belongs to the normal distribution's kNormalQuantile (Cornish & Fisher's
// expansion, two terms).
double ChangeDetector::threshold(double freedom) {
  constexpr double z2 = kNormalQuantile * kNormalQuantile;
  constexpr double first = (z2 + 1) / 4;
  constexpr double second = (5 * z2 * z2 + 16 * z2 + 3) / 96;
  return kNormalQuantile * (1 + first / freedom + second / (freedom * freedom));
}

ChangeDetector::Bucket& ChangeDetector::Bucket::operator+=(const Bucket& other) {
  count += other.count;
  sum += other.sum;
  square += other.square;
  return *this;
}

ChangeDetector::Bucket& ChangeDetector::Bucket::operator-=(const Bucket& other) {
  count -= other.count;
  sum -= other.sum;
  square -= other.square;
  return *this;
}

double ChangeDetector::Bucket::variance() const {
  return count > 1 ? std::max(square - sum * sum / count, 0.0) / (count - 1) : 0;
}

std::optional<ChangeDetector::Rise> ChangeDetector::add(double value, Watch watch) {
  if (watch == Watch::kOff || std::isnan(value)) return {};
  partial_ += std::clamp(value, -kLargest, kLargest);
  ++numbers_;
  if (numbers_ % kNumbersAMean != 0) return {};
  const double mean = partial_ / static_cast<double>(kNumbersAMean);
  partial_ = 0;
  buckets_.push_back({1, mean, mean * mean});
  compress();
  if (numbers_ % (kNumbersAMean * kMeansAComparison) != 0) return {};
  return compare(watch);
}

// Sizes fall from the oldest bucket to the newest, each a power of two.
void ChangeDetector::compress() {
  std::size_t end = buckets_.size();
  while (end > 0) {
    const double size = buckets_[end - 1].count;
    std::size_t begin = end;
    while (begin > 0 && buckets_[begin - 1].count == size) --begin;
    if (end - begin <= kBucketsASize) return;
    buckets_[begin] += buckets_[begin + 1];
    buckets_.erase(buckets_.begin() + static_cast<std::ptrdiff_t>(begin) + 1);
    end = begin + 1;
  }
}

std::optional<ChangeDetector::Rise> ChangeDetector::compare(Watch watch) {
  Bucket whole;
  for (const Bucket& bucket : buckets_) whole += bucket;
  const double pooled = whole.variance();
  Bucket older;
  Bucket best_older;
  std::size_t best = 0;  // buckets to drop
  double most = 1;
  for (std::size_t i = 0; i + 1 < buckets_.size(); ++i) {
    older += buckets_[i];
    Bucket newer = whole;
    newer -= older;
    if (older.count < kLeast || newer.count < kLeast) continue;
    const double error =
        std::sqrt(older.variance() / older.count + std::max(newer.variance(), pooled) / newer.count);
    const double t = std::abs(newer.mean() - older.mean()) / error;
    const double excess = t / threshold(whole.count - 2);
    if (!(excess > most)) continue;
    most = excess;
    best = i + 1;
    best_older = older;
  }
  if (best == 0) return {};
  Bucket newer = whole;
  newer -= best_older;
  if (watch == Watch::kTogether && newer.mean() > best_older.mean()) return {};
  buckets_.erase(buckets_.begin(), buckets_.begin() + static_cast<std::ptrdiff_t>(best));
  const double now = mean();
  if (now < best_older.mean()) return {};
  return Rise{best_older.mean(), now, width()};
}

std::uint64_t ChangeDetector::width() const {
  double count = 0;
  for (const Bucket& bucket : buckets_) count += bucket.count;
  return static_cast<std::uint64_t>(count) * kNumbersAMean;
}

double ChangeDetector::mean() const {
  Bucket whole;
  for (const Bucket& bucket : buckets_) whole += bucket;
  return whole.count > 0 ? whole.mean() : 0;
}

void ChangeDetector::save(State& state, const char* name) const {
  const auto room = state.put<double>(fmt::format("{}.buckets", name), 3 * buckets_.size());
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    room[3 * i] = buckets_[i].count;
    room[3 * i + 1] = buckets_[i].sum;
    room[3 * i + 2] = buckets_[i].square;
  }
  state.put_number(fmt::format("{}.partial", name), partial_);
  state.put_number(fmt::format("{}.numbers", name), numbers_);
}

Status ChangeDetector::restore(const State& state, const char* name) {
  GLIMPSE_TRY_ASSIGN(const auto buckets, state.get<double>(fmt::format("{}.buckets", name)));
  if (buckets.size() % 3 != 0)
    return failure(ErrorCode::kCorrupt, "{}.buckets is not 3 numbers for each bucket", name);
  GLIMPSE_TRY_ASSIGN(const auto partial, state.get_number<double>(fmt::format("{}.partial", name)));
  GLIMPSE_TRY_ASSIGN(const auto numbers, state.get_number<std::uint64_t>(fmt::format("{}.numbers", name)));
  for (std::size_t i = 0; i + 2 < buckets.size(); i += 3)
    if (!(buckets[i] >= 0 && buckets[i] <= kMostInBucket))
      return failure(ErrorCode::kCorrupt, "{}.buckets holds a count of {}", name, buckets[i]);
  buckets_.clear();
  for (std::size_t i = 0; i + 2 < buckets.size(); i += 3)
    buckets_.push_back({buckets[i], buckets[i + 1], buckets[i + 2]});
  partial_ = partial;
  numbers_ = numbers;
  return {};
}

}  // namespace glimpse
