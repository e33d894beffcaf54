#pragma once

#include <cstdint>

#include "base/result.h"
#include "base/state.h"
#include "stats/progressive_loss.h"

namespace glimpse {

/// What is known of the labelled records that were held out.
struct HeldOut {
  std::uint64_t records = 0;
  std::uint64_t values = 0;      ///< of attributes, that they gave
  ProgressiveLoss::Part loss;    ///< the mean squared error of the predictions for them
  ProgressiveLoss::Part recent;  ///< ProgressiveLoss::recent(), of these
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
  /// The last record counts as not come.
  void put_back() { --numbered_; }

  /// A record that was held out, of so many values, was predicted with this error.
  void add(std::uint64_t values, double error);

  HeldOut report() const { return {records_, values_, loss_.total(), loss_.recent()}; }

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
};

}  // namespace glimpse
