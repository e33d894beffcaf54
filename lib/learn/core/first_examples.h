#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "learn/core/plan.h"

namespace glimpse {

/// A learner's first examples, as they were given. While nothing tells yet which of their numbers are
/// outliers, all are learned from. When one is found out, the learner begins again and learns all of them
/// without that number, which costs the others nothing (Learner::learn_again()). Thread-safety: none.
class FirstExamples {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 17;  ///< numbers
  /// Numbers, where plans are drawn by the weights of then: gradients by those of now are not unbiased.
  static constexpr std::size_t kMostByWeights = std::size_t{1} << 12;
  static constexpr std::uint32_t kMostRepeats = 256;  ///< bounds the time

  struct Example {
    Plan plan;  ///< without what it held of weights and means
    std::vector<double> values;
    std::vector<double> labels;
    double importance = 1;
    double outliers = 0;  ///< how many of `values` were left out, and are NaN
    /// 1 + the label that was left out, and the example with it; 1 + labels.size(): the example was withdrawn
    /// (withdraw_last()); 0: none.
    double outlying_label = 0;
  };

  /// `most`: numbers that are kept.
  explicit FirstExamples(bool is_open, std::size_t most = kMost) : is_open_(is_open), most_(most) {}
  bool is_open() const { return is_open_; }
  bool is_full() const { return numbers_.size() >= most_ || repeats_ >= kMostRepeats; }
  std::uint64_t size() const { return size_; }
  void count_repeat() { ++repeats_; }
  void close() { *this = FirstExamples(false, most_); }

  /// Not those with a label or an importance beyond kLargestMagnitude, from which nothing is learned.
  void add(const Plan& plan, std::span<const double> values, std::span<const double> labels,
           double importance);
  /// The newest example is not learned again: its names, words or classes were forgotten.
  void withdraw_last();
  /// Calls change(example) with each in turn, which may leave out numbers of it and says whether to go on.
  template <class Change>
  void for_each(const Change& change) {
    Example example;
    for (std::size_t at = 0; at < numbers_.size();) {
      const std::size_t begin = at;
      if (!read(at, example) || !change(example)) return;
      write(begin, example.plan, example.values, example.labels,
            {example.importance, example.outliers, example.outlying_label});
    }
  }

  /// "first.examples", "first.sizes" (lib/checkpoint/FORMAT.md); nothing where it is closed.
  void save(State& state) const;
  /// Checkpoints of earlier builds have none: it is closed then, unless `is_new`. Errors: kCorrupt.
  Status restore(const State& state, std::size_t dimension, std::size_t labels, bool is_new);

 private:
  bool read(std::size_t& at, Example& example) const;
  void write(std::size_t at, const Plan& plan, std::span<const double> values, std::span<const double> labels,
             const std::array<double, 3>& rest);

  bool is_open_;
  std::size_t most_;
  std::uint32_t repeats_ = 0;
  std::uint64_t size_ = 0;
  std::size_t last_ = 0;  // where the newest begins; numbers_.size(): it is not kept
  // Of each: how many attributes, draws of the data point and labels, population, generation, importance,
  // outliers, outlying_label; then these attributes, values, positions, coefficients and labels.
  std::vector<double> numbers_;
};

}  // namespace glimpse
