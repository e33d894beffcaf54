#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "learn/classes/temperature.h"
#include "stats/progressive_loss.h"

namespace glimpse {

/// How well probabilities of classes were, over examples that nothing was learned from. Thread-safety: that
/// of a value type; small enough to be copied for everyone who asks: at most 40 KiB.
class ClassReport {
 public:
  static constexpr std::size_t kBins = 10;
  /// Classes with a row and a column of their own in confusion(); all others share the last.
  static constexpr std::size_t kMostConfused = 64;
  /// No probability of the example's class counts as less, so that one example is not infinitely wrong.
  static constexpr double kLeastProbability = 1e-9;

  /// Predictions whose probability was from b/10 to (b + 1)/10.
  struct Bin {
    std::uint64_t count = 0;
    std::uint64_t right = 0;
    double probabilities = 0;  ///< summed, of the predicted classes

    double mean_probability() const { return probabilities / static_cast<double>(count); }
    double share_right() const { return static_cast<double>(right) / static_cast<double>(count); }
    /// Standard error of share_right(): binomial, with one more of each outcome (Agresti & Coull 1998), as
    /// three of three leave it open how often the fourth is. NaN: there was none.
    double share_error() const;
  };

  /// `of_class`: none is a class that the model does not know, which counts as one more of probability 0. The
  /// greatest of `probabilities` was predicted; of none nothing was. Gives its Brier score. O(C); allocates
  /// for new classes alone.
  double add(std::span<const double> probabilities, std::optional<std::size_t> of_class);

  /// Adds what `other` has of other examples, whose class c is codes[c] here; without codes they are alike.
  void merge(const ClassReport& other, std::span<const std::uint32_t> codes);

  /// ProgressiveLoss::set_recent() and begin_recent() of all that it means.
  void set_recent(std::uint64_t examples) {
    for (ProgressiveLoss* loss : {&wrong_, &log_loss_, &brier_}) loss->set_recent(examples);
  }
  void begin_recent() {
    for (ProgressiveLoss* loss : {&wrong_, &log_loss_, &brier_}) loss->begin_recent();
  }

  std::uint64_t count() const { return wrong_.total().count; }
  /// The mean over examples of: 1 if another class was predicted; −log p of its own class; Σ_c (p_c −
  /// indicator_c)², from 0 to 2. With recent() and standard errors.
  const ProgressiveLoss& wrong() const { return wrong_; }
  const ProgressiveLoss& log_loss() const { return log_loss_; }
  const ProgressiveLoss& brier() const { return brier_; }
  const std::array<Bin, kBins>& bins() const { return bins_; }
  /// Σ_b count_b/n·|mean probability − share right|: the expected calibration error. NaN: none yet.
  double calibration_error() const;
  /// Classes in confusion(), 0 … kMostConfused, beside the last.
  std::size_t confused() const { return confused_; }
  /// How often class `predicted` was told for examples of class `actual`; confused() is all others.
  std::uint64_t confusion(std::size_t actual, std::size_t predicted) const {
    return confusion_[actual * (confused_ + 1) + predicted];
  }

  /// "NAME.wrong", "NAME.log_loss", "NAME.brier", "NAME.bins", "NAME.bin_sums" and "NAME.confusion".
  void save(State& state, const std::string& name) const;
  /// As in the beginning where the state has none. Errors: kCorrupt.
  Status restore(const State& state, const std::string& name);

 private:
  void make_room(std::size_t classes);

  ProgressiveLoss wrong_;
  ProgressiveLoss log_loss_;
  ProgressiveLoss brier_;
  std::array<Bin, kBins> bins_;
  std::size_t confused_ = 0;
  std::vector<std::uint64_t> confusion_ = {0};
};

}  // namespace glimpse
