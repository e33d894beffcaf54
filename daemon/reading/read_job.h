#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "data/plain_reader.h"

namespace glimpse {

/// The readers of plain records of one feed, one for each thread. Thread-safety: full.
class PlainReaders {
 public:
  /// PlainReader::make(), `count` times; nullptr where there is none.
  static std::shared_ptr<PlainReaders> make(const ExampleReader& reader, const AttributeNames& names,
                                            std::size_t count);

  /// fixed() and version() of the names that they were made with.
  std::size_t fixed() const { return fixed_; }
  std::uint64_t version() const { return version_; }

  /// One that nobody uses; nullptr: all are in use. It goes back with put().
  std::unique_ptr<PlainReader> take();
  void put(std::unique_ptr<PlainReader> reader);

 private:
  PlainReaders() = default;

  std::size_t fixed_ = 0;
  std::uint64_t version_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<PlainReader>> idle_;  // under mutex_; the one used last is last
};

/// A few records that follow each other, each with the attributes that its plan looks at: their values are
/// read on another thread. Filled by the trainer, posted, run by one thread; meanwhile the trainer may ask
/// for each record, and is never kept waiting. Thread-safety: as each member says.
class ReadJob {
 public:
  static constexpr std::size_t kRecords = 16;
  static constexpr std::uint64_t kWhole =
      ~std::uint64_t{0};  ///< every value of the record, which has no label

  struct Record {
    std::string_view line;       ///< without its newline
    std::uint64_t plan = 0;      ///< PlanAhead::number(); 0: it is not read; kWhole
    std::size_t attributes = 0;  ///< how many are planned
  };
  /// What was read of a record.
  struct Found {
    const PlainExample* example;
    std::span<const double> values;  ///< planned ones
    std::vector<Entry>* entries;     ///< of a whole record, to be taken; nullptr: it is none
  };
  enum class State : std::uint8_t {
    kUnread,  ///< not yet, or it never will be
    kRead,
    kOdd,  ///< it is not plain
  };

  // The trainer's, before post:

  /// Empties it. REQUIRES: is_idle(). `memory` keeps the records.
  void begin(std::shared_ptr<PlainReaders> readers, std::shared_ptr<const void> memory);
  /// One more record, of at most kRecords; no attributes and plan 0: it is not read.
  void add(std::string_view line, std::uint64_t plan, std::span<const Attribute> attributes);
  void note_posted() { is_busy_.store(true, std::memory_order_relaxed); }

  // The trainer's, at any time:

  std::size_t size() const { return records_.size(); }
  const Record& record(std::size_t i) const { return records_[i]; }
  State state(std::size_t i) const { return states_[i].load(std::memory_order_acquire); }
  /// REQUIRES: state(i) is kRead. Valid until begin().
  Found found(std::size_t i);
  /// Records before `i` are not wanted any more.
  void pass(std::size_t i) { wanted_.store(static_cast<std::uint32_t>(i), std::memory_order_relaxed); }
  /// Nobody runs it, nor will.
  bool is_idle() const { return !is_busy_.load(std::memory_order_acquire); }
  /// Lets the records' memory go. REQUIRES: is_idle().
  void end();

  /// On one other thread, once after it was posted: reads.
  void run();

 private:
  void give_back();

  std::shared_ptr<PlainReaders> readers_;
  std::shared_ptr<const void> memory_;
  std::vector<Record> records_;
  std::vector<Attribute> attributes_;  // of all records, one after the other
  std::vector<double> values_;
  std::array<std::size_t, kRecords> begins_{};  // of each among them
  std::array<PlainExample, kRecords> examples_;
  std::array<std::vector<Entry>, kRecords> entries_;  // of whole records
  std::array<std::atomic<State>, kRecords> states_{};
  std::atomic<std::uint32_t> wanted_{0};
  std::atomic<bool> is_busy_{false};
};

/// What runs jobs. Thread-safety: full.
class ReadJobs {
 public:
  virtual ~ReadJobs() = default;
  /// How many may run at once, ≥ 1.
  virtual std::size_t threads() const = 0;
  /// Runs them in this order, or never.
  virtual void post(std::span<const std::shared_ptr<ReadJob>> jobs) = 0;
};

}  // namespace glimpse
