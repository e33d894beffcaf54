#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/state.h"

namespace glimpse {

/// Who decides that a loss has risen.
enum class Watch {
  kOff,       ///< nobody: it is not looked at
  kAlone,     ///< the detector itself
  kTogether,  ///< those that look at the windows of many detectors (rose_together())
};

/// Notices when the mean of a stream of numbers changes, by ADWIN (Bifet & Gavaldà, "Learning from
/// time-changing data with adaptive windowing", 2007). The past is a window of buckets whose sizes grow
/// exponentially with age. As soon as the newer part of the window differs significantly from the older one,
/// at any split, the older is dropped. Chosen over Page–Hinkley because it has no level or size of change to
/// tune: a change of any size is noticed, a small one later.
///
/// Two departures. Squared errors of budgeted learners have no bound, which ADWIN's cut assumes, and heavy
/// tails. So numbers are taken in means of 8. Two parts are compared by Welch's t. The newer part's variance
/// counts as at least that of the whole window: few numbers that happen to agree prove nothing, and one giant
/// raises its own part's variance as well. The threshold is the quantile of Student's t at a chance of
/// 4·10⁻¹¹ a comparison, of which there are some 3·10⁶, most of them nearly the same, in 10⁶ numbers. And a
/// fall is no alarm: a loss falls while there is something to learn. The window forgets what came before it
/// all the same, so that a later rise is measured from there.
///
/// Cost: 1/32 of a comparison of 5·log₂(n/8) splits a number; memory: the same number of buckets. A rise of
/// r standard deviations of one number takes about max(64, 42/r²) of them. Thread-safety: none.
class ChangeDetector {
 public:
  /// The mean has risen.
  struct Rise {
    double before = 0;        ///< the mean of what was dropped
    double after = 0;         ///< the mean since
    std::uint64_t since = 0;  ///< how many numbers ago it rose, about
  };

  /// NaN is left out, and what is beyond ±10¹⁴⁰ counts as that, so that every sum of squares stays finite.
  std::optional<Rise> add(double value) { return add(value, Watch::kAlone); }
  /// The same as `watch` says. kTogether: a rise is not told and drops nothing, so that it stays to be seen
  /// in the window; a fall drops what came before it.
  std::optional<Rise> add(double value, Watch watch);

  /// Of the window: what is believed to have one mean. Whole means of 8 numbers only.
  std::uint64_t width() const;
  double mean() const;

  static constexpr std::uint64_t kNumbersAMean = 8;
  /// Means on either side of a split, at least.
  static constexpr double kLeast = 8;
  /// Sums over `count` means of 8 numbers.
  struct Bucket {
    double count = 0;
    double sum = 0;
    double square = 0;
    Bucket& operator+=(const Bucket& other);
    Bucket& operator-=(const Bucket& other);
    double mean() const { return sum / count; }
    double variance() const;  ///< of one mean of 8
  };
  /// The window, oldest first.
  std::span<const Bucket> buckets() const { return buckets_; }
  /// The quantile of Student's t beyond which two parts differ.
  static double threshold(double freedom);

  void save(State& state, const char* name) const;
  Status restore(const State& state, const char* name);

 private:
  void compress();
  std::optional<Rise> compare(Watch watch);

  std::vector<Bucket> buckets_;  // oldest first
  double partial_ = 0;           // the sum of numbers that are not yet in a bucket
  std::uint64_t numbers_ = 0;    // all that came
};

/// One of several streams that may change together: the window of its detector (Watch::kTogether).
struct PooledStream {
  const ChangeDetector* detector = nullptr;
  double rate = 1;   ///< numbers that come to it while 1 comes to a stream of rate 1; above 0
  double scale = 1;  ///< what its numbers are multiplied by to be in the unit of the others
};

/// What rose_together() found.
struct PooledRise {
  double before = 0;  ///< means over the streams, each weighted by its newer numbers
  double after = 0;
  double since = 0;  ///< how long ago it rose, about: in numbers of a stream of rate 1
};

/// Whether the mean of several streams has risen, as ChangeDetector decides it of one. A pure function of the
/// windows; of one stream it is what the detector itself would say.
///
/// All windows are split at the same age, the newer part of each compared with its own older part, so that
/// streams of different levels are no change. The difference is the mean of all newer numbers, each less the
/// older mean of its stream. Its variance is that of these differences about their mean, and at least the
/// mean of the whole windows' variances, over their number; and Σ share² · variance of each older mean. The
/// quantile is ChangeDetector's. So P streams that rise together are noticed after about 1/P of the numbers
/// of each that one alone needs, and one that rises alone after P times its own. A fall is no alarm: what
/// came before it is left out, and the rest compared again.
///
/// Cost: O(S·B·log B) for S ages, at most about 70 for each doubling of the longest window, and B streams.
std::optional<PooledRise> rose_together(std::span<const PooledStream> streams);

}  // namespace glimpse
