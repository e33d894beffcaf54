#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "base/types.h"
#include "learn/classes/temperature.h"
#include "learn/classes/unlearned_losses.h"

namespace glimpse {

/// What is known of the labelled records that were held out; of several labels, what it begins with is of the
/// first.
struct HeldOut : UnlearnedLoss {
  HeldOut() = default;
  /// Of `records` that gave so many `values`.
  HeldOut(std::uint64_t records, std::uint64_t values, const UnlearnedLosses& losses);

  std::uint64_t records = 0;
  std::uint64_t values = 0;                    ///< of attributes, that they gave
  std::vector<UnlearnedLoss> further;          ///< of several labels those behind the first
  std::shared_ptr<const ClassReport> classes;  ///< nullptr: none of them had a class
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
  /// Whether the labelled record of that number, from 1, is one to be held out.
  bool is_held_out(std::uint64_t number) const;
  /// The last record counts as not come.
  void put_back() { --numbered_; }

  /// A record of so many values was held out.
  void note_record(std::uint64_t values);
  /// How it was predicted, where labels are numbers.
  UnlearnedLosses& losses() { return losses_; }
  /// How a classifier predicted it, of class `of_class`; none: one that it does not know. `scores` of all
  /// classes, which become probabilities by slope(), and then are what it is fitted to. O(C).
  void add_class(std::span<double> scores, std::optional<std::size_t> of_class);
  /// By which scores of classes become probabilities: Temperature of the records so far.
  double slope() const { return slope_; }

  /// What was predicted so far was of no model that is: losses and slope() are as at the beginning.
  void begin_again();

  HeldOut report() const { return {records_, values_, losses_}; }

  void save(State& state) const;
  /// Of earlier builds, and where nothing was ever held out, the state may have nothing. Errors: kCorrupt.
  Status restore(const State& state);

 private:
  double share_ = 0;
  std::uint64_t numbered_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t values_ = 0;
  UnlearnedLosses losses_;
  Temperature temperature_;
  double slope_ = Temperature::kUsual;
  std::vector<double> scores_;
};

/// Records that were held out, until the end of a run: all of up to kMostValues, and of more those that are
/// equally far apart. Memory: 64 MiB of values at most. Thread-safety: none.
class KeptRecords {
 public:
  static constexpr std::size_t kMostValues = std::size_t{1} << 22;

  void add(std::span<const Entry> values, std::span<const double> labels);
  /// Gives each record's values and labels to `use`, in order.
  template <class Use>
  void each(const Use& use) const {
    for (const Record& record : records_) use(record.values, record.labels);
  }

 private:
  struct Record {
    std::vector<Entry> values;
    std::vector<double> labels;
  };
  std::vector<Record> records_;
  std::size_t values_ = 0;
  std::uint64_t came_ = 0;
  std::uint64_t apart_ = 1;  // one of so many is kept
};

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
