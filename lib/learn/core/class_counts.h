#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/state.h"

namespace glimpse {

/// Which classes labels named, as codes 0, 1, 2, …, and how often. Of a regression there are none.
/// Thread-safety: that of a value type.
class ClassCounts {
 public:
  static constexpr std::size_t kMost = 65536;  ///< classes

  /// From now on labels are classes, of which there are `expected` at least.
  void begin(std::size_t expected);
  /// Labels are classes.
  bool are_classes() const { return are_classes_; }
  std::size_t size() const { return counts_.size(); }
  std::uint64_t count(std::size_t c) const { return counts_[c]; }
  /// Whether it is the code of one of `most` classes.
  static bool is_code(double label, std::size_t most) {
    return label >= 0 && label < static_cast<double>(most) &&
           label == static_cast<double>(static_cast<std::size_t>(label));
  }
  /// An example of class c. Allocates for a new class alone.
  void add(std::size_t c);
  /// Adds those of `other`, whose class c is codes[c] here; without codes they are alike.
  void merge(const ClassCounts& other, std::span<const std::uint32_t> codes);
  /// As if no example had come.
  void clear_counts() { counts_.assign(counts_.size(), 0); }
  /// Half of the mean of Σ_c (indicator_c − share_c)²: for two classes the variance of a label of 0 and 1.
  /// NaN below two examples.
  double variance() const;

  /// "learner.classes" (lib/checkpoint/FORMAT.md), where there are classes.
  void save(State& state) const;
  /// Errors: kMismatch where the state is of a regression, though classes were begun, and examples came.
  Status restore(const State& state, std::uint64_t examples);

 private:
  bool are_classes_ = false;
  std::vector<std::uint64_t> counts_;
};

}  // namespace glimpse
