#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/result.h"
#include "base/state.h"
#include "daemon/losses/hold_out.h"
#include "learn/classes/class_report.h"
#include "stats/progressive_loss.h"

namespace glimpse {

/// Whether anything is learned, and what is known of the labelled records that came while nothing was. Such a
/// record is looked at whole, predicted and counted, as one that is held out. It is used up: its source goes
/// on behind it. The learner, its random numbers and HoldOut stay as they are to the bit, so what comes after
/// is learned as if it had not come. Thread-safety: none; the trainer's thread.
class Freeze {
 public:
  bool is_frozen() const { return frozen_; }
  /// From the next record on.
  void set_frozen(bool frozen) { frozen_ = frozen; }

  /// Whether there is anything to keep.
  bool is_used() const { return frozen_ || records_ > 0; }

  /// A labelled record was not learned from.
  void note_record() { ++records_; }
  /// It is to be read again.
  void put_back() { --records_; }
  /// A record of so many values was predicted with this squared error.
  void add(std::uint64_t values, double loss);
  /// The same of a classifier, of the probabilities of all classes; none: a class that it does not know.
  /// O(C).
  void add_class(std::uint64_t values, std::span<const double> probabilities,
                 std::optional<std::size_t> of_class);

  /// The same record's, of a further label.
  void add_further(std::size_t label, double loss) { further_.add(label, loss); }

  /// HeldOut::records: all labelled records, whether they counted for the loss or not.
  HeldOut report() const;

  void save(State& state) const;
  /// Where nothing was ever frozen the state has nothing. Errors: kCorrupt.
  Status restore(const State& state);

 private:
  bool frozen_ = false;
  std::uint64_t records_ = 0;
  std::uint64_t values_ = 0;
  ProgressiveLoss loss_;
  ClassReport classes_;
  mutable std::shared_ptr<const ClassReport> told_;  // a copy of classes_; nullptr: it is older
  LabelLosses further_;
};

}  // namespace glimpse
