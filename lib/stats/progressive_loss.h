#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/state.h"

namespace glimpse {

/// An unbiased estimate of a number that is never below 0, and its standard error. Where the estimate is
/// below 0, the nearest possible value is reported in its place. NaN: there is none.
struct NonNegative {
  double estimate;
  double error;

  double value() const { return std::max(estimate, 0.0); }
  /// Of a mean squared error: the root, in the label's unit.
  double root() const { return std::sqrt(value()); }
};

/// Mean and median of the absolute errors of predictions, in the label's unit. The median is that of a
/// histogram: each power of two from 2⁻¹²⁸ to 2¹²⁸ has four bins of the same width, so it is at most 13 %
/// off, and 2 % for errors that are spread evenly over a bin. Less counts as 0. Memory: 8 KiB from the first
/// error on. Thread-safety: that of a value type.
class AbsoluteErrors {
 public:
  /// O(1). What is no number does not count.
  void add(double error);
  /// NaN: there was none.
  double mean() const { return count_ > 0 ? mean_ : std::nan(""); }
  /// NaN: there was none. O(bins).
  double median() const;
  /// Adds the errors of other predictions.
  void merge(const AbsoluteErrors& other);

  /// "NAME.absolute_mean" and "NAME.absolute_counts"; nothing where there was none.
  void save(State& state, const std::string& name) const;
  /// As in the beginning where the state has none. Errors: kCorrupt.
  Status restore(const State& state, const std::string& name);

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0;
  std::vector<std::uint64_t> bins_;  // empty: there was none
};

/// The mean of an unbiased estimate of each example's squared error (ŷ − y)², made before the example was
/// learned from, with its standard error (Welford 1962): over all examples, over those for which there was a
/// model, and over the recent ones; and the absolute errors of predictions that are known exactly. The
/// estimates of budgeted learners are noisy and may be negative one by one. Thread-safety: that of a value
/// type.
class ProgressiveLoss {
 public:
  /// How many examples are recent, unless set_recent() says otherwise.
  static constexpr std::uint64_t kRecent = 1000;

  /// More are in no state.
  static constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 60;

  /// Mean and spread of some of the estimates.
  struct Part {
    std::uint64_t count = 0;
    double mean = 0;
    double squares = 0;  ///< Σ (estimate − mean)²
    /// The mean squared error of always answering the mean of the labels before, over the same examples. NaN:
    /// not counted.
    double baseline = std::nan("");

    double sum() const { return mean * static_cast<double>(count); }
    /// NaN below two estimates.
    double standard_error() const {
      const auto n = static_cast<double>(count);
      return count > 1 ? std::sqrt(squares / (n - 1) / n) : std::nan("");
    }
    /// What is reported of the mean.
    NonNegative reported() const { return {count > 0 ? mean : std::nan(""), standard_error()}; }
    void add(double estimate, double effect) {
      ++count;
      const double difference = estimate - mean;
      mean += difference / static_cast<double>(count);
      squares += effect * difference * (estimate - mean);
    }
    /// What came after `earlier`, an earlier state of this part.
    Part since(const Part& earlier) const;
    /// Both together.
    Part with(const Part& other) const;
  };

  /// An estimate beyond ±10¹⁴⁰ counts as that, so that the sum of squares stays finite. `effect` ≥ 1: by how
  /// much the variance of a mean of such estimates is larger than that of independent ones (Kish's design
  /// effect); the sum of squares is of these estimates times it. `has_model`: whether there was a model; what
  /// is predicted without one counts for total() alone.
  void add(double estimate, double effect = 1, bool has_model = true) {
    estimate = std::clamp(estimate, -kLargest, kLargest);
    total_.add(estimate, effect);
    if (std::has_single_bit(total_.count)) marks_ = {marks_[1], total_};
    if (!has_model) return;
    with_model_.loss.add(estimate, effect);
    if (blocks_[0].loss.count >= block_length_) begin_block();
    blocks_[0].loss.add(estimate, effect);
  }
  /// The error of the prediction that was added last, where it is known and not estimated.
  void note_exact(double error) { absolute_.add(error); }
  /// The error of the mean of the labels before, for the example that was added last. NaN: it is not known.
  void add_baseline(double error) {
    if (std::isnan(error)) return;
    for (Block* const block : {&with_model_, blocks_.data()}) {
      ++block->baselines;
      block->baseline += std::min(error * error, kLargest);
    }
  }

  /// Of all estimates.
  const Part& total() const { return total_; }
  /// Of those for which there was a model.
  const Part& with_model() const { return with_model_.loss; }
  /// These with their baseline, where it is known of each.
  Part beside_baseline() const;
  /// Of the last set_recent() of these, or up to a tenth more: in sums of their own, so that no example
  /// before leaves a trace.
  Part recent() const;
  /// Since the second to last power of two, or begin_recent(): the last half to three quarters of the
  /// estimates, which the variance of errors is taken of.
  Part later() const { return total_.since(marks_[0]); }
  const AbsoluteErrors& absolute() const { return absolute_; }
  /// The loss of the baseline in place of the predictions', with the standard error of normal labels.
  ProgressiveLoss of_baseline() const;
  void set_recent(std::uint64_t examples) {
    recent_ = std::max<std::uint64_t>(examples, 1);
    block_length_ = (recent_ + kBlocks - 1) / kBlocks;
  }
  /// recent() and later() begin here.
  void begin_recent() {
    blocks_ = {};
    marks_ = {total_, total_};
  }
  /// As in the beginning, with the same set_recent().
  void clear();

  /// Adds the estimates that `other` has of other examples, to the recent ones those that are so there.
  void merge(const ProgressiveLoss& other);

  /// Under names that begin with `name`.
  void save(State& state, const std::string& name = "progressive") const;
  Status restore(const State& state, const std::string& name = "progressive");

 private:
  static constexpr double kLargest = 1e140;
  static constexpr std::size_t kBlocks = 10;  // that make up what is recent, beside the one that is filled

  // Some examples in a row, or all.
  struct Block {
    Part loss;
    std::uint64_t baselines = 0;
    double baseline = 0;  // summed
    void add(const Block& other);
  };
  void begin_block();

  Part total_;
  Block with_model_;
  std::array<Part, 2> marks_;  // total_ as of the last two powers of two
  AbsoluteErrors absolute_;
  std::uint64_t recent_ = kRecent;
  std::uint64_t block_length_ = kRecent / kBlocks;
  std::array<Block, kBlocks + 1> blocks_;  // the newest first
};

}  // namespace glimpse
