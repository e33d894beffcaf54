#include "stats/change_detector.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <vector>

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

namespace {

using Bucket = ChangeDetector::Bucket;

// Ages that differ by less are the same: of many streams it bounds how many splits there are. The buckets of
// one window differ by a tenth at least.
constexpr double kSameAge = 1.01;

// A window by the splits that it may be cut at: those between buckets, newest first.
class Window {
 public:
  explicit Window(const PooledStream& stream) {
    const auto buckets = stream.detector->buckets();
    Bucket newer;
    for (std::size_t i = buckets.size(); i-- > 0;) {
      Bucket bucket = buckets[i];
      bucket.sum *= stream.scale;
      bucket.square *= stream.scale * stream.scale;
      newer += bucket;
      ages_.push_back(newer.count / stream.rate);
      newest_.push_back(newer);
    }
  }

  const std::vector<double>& ages() const { return ages_; }
  bool empty() const { return newest_.empty(); }
  const Bucket& whole() const { return newest_.back(); }
  // What is younger than about `age`; without numbers where the nearest split is at the window's newer end.
  Bucket newer_than(double age) const {
    const auto behind = std::lower_bound(ages_.begin(), ages_.end(), age);
    const auto i = static_cast<std::size_t>(behind - ages_.begin());
    const double before = i > 0 ? ages_[i - 1] : 0;
    if (behind != ages_.end() && *behind - age <= age - before) return newest_[i];
    return i > 0 ? newest_[i - 1] : Bucket();
  }
  // Nothing older is known any more.
  void drop_before(double age) {
    std::size_t kept = ages_.size();
    while (kept > 0 && ages_[kept - 1] > age) --kept;
    ages_.resize(kept);
    newest_.resize(kept);
  }

 private:
  std::vector<double> ages_;    // of the far end of each bucket
  std::vector<Bucket> newest_;  // sums from there on
};

std::vector<double> ages_of(const std::vector<Window>& windows) {
  std::vector<double> all;
  for (const Window& window : windows) all.insert(all.end(), window.ages().begin(), window.ages().end());
  std::sort(all.begin(), all.end());
  std::vector<double> ages;
  for (const double age : all)
    if (ages.empty() || age > ages.back() * kSameAge) ages.push_back(age);
  return ages;
}

// All windows split at one age.
struct Comparison {
  double newer = 0;       // numbers, in means of 8
  double older = 0;       // the same
  double difference = 0;  // Σ (x − the older mean of its stream) over the newer
  double squares = 0;     // Σ of the squares of these
  double floor = 0;       // Σ newer count · the whole window's variance
  double error = 0;       // Σ newer count² · variance of the older mean
  double before = 0;      // Σ newer count · older mean
  double freedom = 0;

  void add(const Bucket& whole, const Bucket& young) {
    Bucket old = whole;
    old -= young;
    if (young.count < 1 || old.count < ChangeDetector::kLeast) return;
    const double level = old.mean();
    newer += young.count;
    older += old.count;
    difference += young.sum - young.count * level;
    squares += std::max(young.square - young.sum * young.sum / young.count, 0.0) +
               young.count * (young.mean() - level) * (young.mean() - level);
    floor += young.count * whole.variance();
    error += young.count * young.count * old.variance() / old.count;
    before += young.count * level;
    freedom += whole.count - 2;
  }
  bool is_enough() const { return newer >= ChangeDetector::kLeast && older >= ChangeDetector::kLeast; }
  double rise() const { return difference / newer; }
  // How far beyond the threshold the difference is: above 1 it is significant.
  double excess() const {
    const double variance = std::max(squares - difference * difference / newer, 0.0) / (newer - 1);
    const double about = std::sqrt(error / (newer * newer) + std::max(variance, floor / newer) / newer);
    return std::abs(rise()) / about / ChangeDetector::threshold(freedom);
  }
};

}  // namespace

std::optional<PooledRise> rose_together(std::span<const PooledStream> streams) {
  std::vector<Window> windows;
  for (const PooledStream& stream : streams) windows.emplace_back(stream);
  for (;;) {
    std::erase_if(windows, [](const Window& window) { return window.empty(); });
    double most = 1;
    double at = 0;
    Comparison best;
    for (const double age : ages_of(windows)) {
      Comparison comparison;
      for (const Window& window : windows) comparison.add(window.whole(), window.newer_than(age));
      if (!comparison.is_enough()) continue;
      const double excess = comparison.excess();
      if (!(excess > most)) continue;
      most = excess;
      at = age;
      best = comparison;
    }
    if (at == 0) return {};
    if (best.rise() > 0) {
      const double before = best.before / best.newer;
      return PooledRise{before, before + best.rise(),
                        at * static_cast<double>(ChangeDetector::kNumbersAMean)};
    }
    for (Window& window : windows) window.drop_before(at);
  }
}

}  // namespace glimpse
