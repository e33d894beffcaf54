#include "stats/pooled_change.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace glimpse {

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
