#pragma once

#include <cstdint>

#include "base/result.h"
#include "base/state.h"
#include "daemon/losses/hold_out.h"

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
  /// It gave so many values and counts for the loss.
  void note_values(std::uint64_t values) { values_ += values; }
  UnlearnedLosses& losses() { return losses_; }

  /// HeldOut::records: all labelled records, whether they counted for the loss or not.
  HeldOut report() const { return {records_, values_, losses_}; }

  void save(State& state) const;
  /// Where nothing was ever frozen the state has nothing. Errors: kCorrupt.
  Status restore(const State& state);

 private:
  bool frozen_ = false;
  std::uint64_t records_ = 0;
  std::uint64_t values_ = 0;
  UnlearnedLosses losses_;
};

}  // namespace glimpse
