#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "daemon/losses/label_losses.h"
#include "learn/classes/class_report.h"
#include "learn/classes/temperature.h"
#include "stats/progressive_loss.h"

namespace glimpse {

/// What is known of the labelled records that were held out.
struct HeldOut {
  std::uint64_t records = 0;
  std::uint64_t values = 0;  ///< of attributes, that they gave
  /// The mean squared error of the predictions for them. Of a classifier half of the Brier score, as
  /// Learner::progressive_loss() has it: of two classes the squared error of a probability.
  ProgressiveLoss::Part loss;
  ProgressiveLoss::Part recent;                     ///< ProgressiveLoss::recent(), of these
  std::vector<LabelLosses::Report> further = {};    ///< of several labels those behind the first
  std::shared_ptr<const ClassReport> classes = {};  ///< nullptr: none of them had a class
};

/// --hold-out: which labelled records are kept from the learner, and how well they were predicted. A record
/// is taken by a hash of its number among all labelled records, whatever door they came through: the same
/// after a restart, and never in step with a period of the data. Thread-safety: none; the trainer's thread.
class HoldOut {
 public:
  /// Of the records from now on, 0 ≤ share < 1.
  void set_share(double share) { share_ = share; }
  double share() const { return share_; }

  /// Whether there is anything to keep.
  bool is_used() const { return share_ > 0 || records_ > 0; }

  /// Counts a labelled record; true: it is to be held out.
  bool take_next() {
    ++numbered_;
    return share_ > 0 && is_held_out(numbered_);
  }
  /// Whether take_next() will be true for the labelled record that comes `ahead` others from now.
  bool will_take(std::size_t ahead) const { return share_ > 0 && is_held_out(numbered_ + 1 + ahead); }
  /// The last record counts as not come.
  void put_back() { --numbered_; }

  /// A record that was held out, of so many values, was predicted with this error.
  void add(std::uint64_t values, double error);

  /// The same record's, of a further label.
  void add_further(std::size_t label, double error) { further_.add(label, error * error); }

  /// The same of a classifier's record, of class `of_class`; none: one that it does not know. `scores` of all
  /// classes, which become probabilities by slope(), and then are what it is fitted to. O(C).
  void add_class(std::uint64_t values, std::span<double> scores, std::optional<std::size_t> of_class);
  /// By which scores of classes become probabilities: Temperature of the records so far.
  double slope() const { return slope_; }

  /// Shares the report of classes; one that nobody has is brought up to date. O(1), and O(C²) for classes.
  HeldOut report() const;

  void save(State& state) const;
  /// Of earlier builds, and where nothing was ever held out, the state may have nothing. Errors: kCorrupt.
  Status restore(const State& state);

 private:
  bool is_held_out(std::uint64_t number) const;

  double share_ = 0;
  std::uint64_t numbered_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t values_ = 0;
  ProgressiveLoss loss_;
  LabelLosses further_;
  Temperature temperature_;
  double slope_ = Temperature::kUsual;
  std::vector<double> scores_;
  ClassReport classes_;
  mutable std::shared_ptr<const ClassReport> told_;  // a copy of classes_; nullptr: it is older
};

}  // namespace glimpse
