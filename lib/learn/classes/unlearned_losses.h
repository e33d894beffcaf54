#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "learn/classes/class_report.h"
#include "stats/progressive_loss.h"

namespace glimpse {

/// How well one label of some records was predicted.
struct UnlearnedLoss {
  /// The mean squared error of the predictions. Of a classifier half of the Brier score, as
  /// Learner::progressive_loss() has it: of two classes the squared error of a probability. Its baseline is
  /// that of always answering the mean of these records' own labels, so that R2 is scikit-learn's r2_score.
  ProgressiveLoss::Part loss;
  ProgressiveLoss::Part recent;         ///< ProgressiveLoss::recent(), beside the mean of the labels before
  double mean_absolute = std::nan("");  ///< AbsoluteErrors::mean(); NaN: not known, as of classes
  double median_absolute = std::nan("");
};

/// How well labelled records that are not learned from were predicted, of all labels and of classes.
/// Thread-safety: that of a value type.
class UnlearnedLosses {
 public:
  /// Label `label`, from 0, was `value`. `mean`: of the labels before; NaN: it is not known. Allocates for
  /// the first record of a label alone.
  void add(std::size_t label, double value, double prediction, double mean);
  /// Of a classifier, the probabilities of all classes; none: a class that it does not know. O(C).
  void add_class(std::span<const double> probabilities, std::optional<std::size_t> of_class);

  /// Of label `label`; of one that has no record there is nothing. O(1), and O(bins) for the median.
  UnlearnedLoss report(std::size_t label) const;
  /// Labels that have records; 1 of none.
  std::size_t labels() const { return losses_.size(); }
  /// Shared by those who ask; nullptr: no record had a class. One that nobody has is made, O(C²).
  std::shared_ptr<const ClassReport> classes() const;

  /// ProgressiveLoss::set_recent() and begin_recent() of all that it has.
  void set_recent(std::uint64_t examples);
  void begin_recent();
  /// As in the beginning, with the same set_recent().
  void clear();
  /// Adds what `other` has of other records, whose class c is codes[c] here (ClassReport::merge()).
  void merge(const UnlearnedLosses& other, std::span<const std::uint32_t> codes);

  /// Under names that begin with `name`.
  void save(State& state, const std::string& name) const;
  /// As in the beginning where the state has none. Errors: kCorrupt.
  Status restore(const State& state, const std::string& name);

 private:
  void make_room(std::size_t labels);

  std::uint64_t recent_ = ProgressiveLoss::kRecent;
  struct OfLabel {
    ProgressiveLoss loss;
    ProgressiveLoss::Part labels;  // themselves
  };
  std::vector<OfLabel> losses_ = std::vector<OfLabel>(1);
  ClassReport classes_;
  mutable std::shared_ptr<const ClassReport> told_;  // a copy of classes_; nullptr: it is older
};

}  // namespace glimpse
