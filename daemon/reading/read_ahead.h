#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "daemon/feeds/block.h"
#include "daemon/reading/read_job.h"
#include "learn/core/learner.h"
#include "learn/plans/plan_ahead.h"

namespace glimpse {

/// Whether lines are to be read ahead on other threads, from how fast the stream goes with that and without.
/// Where an example is little work, as with few planned attributes, the thread that reads the bytes keeps the
/// other processors busy, and finds the fields while it has them at hand: others only take from it. Where
/// processors are idle, or an example is much work, reading ahead is faster.
///
/// Each way has turns of kTurn. One that follows a turn of the other way does not count the blocks that wait
/// when it begins: they were read the other way. The way in use has kFirstTurns, and then the other is tried
/// for one. Where that was faster than the turn before, it is the way in use, and the next trial comes after
/// kNextTurns. Else it comes after twice as many turns as the one before, up to kMostTurns. Where both are
/// about as fast, lines are not read ahead, which takes less of the processors. A turn's time is that from
/// block to block, waits for input included: where a stream is slow either way will do. What is learned never
/// depends on the choice.
///
/// Thread-safety: none.
class ReadingChoice {
 public:
  using Time = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::milliseconds kTurn{12};
  static constexpr std::size_t kLeastBlocks = 8;  ///< that a turn counts
  static constexpr unsigned kFirstTurns = 4;
  static constexpr unsigned kNextTurns = 2;
  static constexpr unsigned kMostTurns = 64;
  static constexpr double kAlike = 1.03;  ///< times as slow

  /// `ahead`: what is expected to be faster, and is used first.
  explicit ReadingChoice(bool ahead) : ahead_(ahead) {}

  /// Whether to read ahead now.
  bool reads_ahead() const { return ahead_; }
  /// A block of `bytes` begins at `now`, behind which `waiting` others are.
  void begin_block(Time now, std::size_t bytes, std::size_t waiting);

 private:
  void end_turn(double seconds_a_byte);

  bool ahead_;
  bool is_trial_ = false;            // the way in use is the other one
  std::size_t settling_ = 0;         // blocks that do not count
  std::size_t blocks_ = 0;           // of the turn, that count
  std::uint64_t bytes_ = 0;          // of them
  Time begin_{};                     // of the first of them
  unsigned turns_ = 0;               // since the last trial
  unsigned interval_ = kFirstTurns;  // turns until the next
  double seconds_a_byte_ = 0;        // of the last turn of the way in use
};

/// The records that come next in a feed of lines, bound to the plans that are begun ahead and given to
/// ReadJobs. The trainer walks through its records as ever; of each it asks whether its values were read
/// meanwhile, and reads it itself where not. What was read is used for the very plan alone for which it was
/// read: so nothing that is learned depends on threads or on time.
///
/// A record that uses no plan (a blank line, one without a label), or a plan that goes elsewhere (to a client
/// that asks for one), shifts the plans of those behind it: all that is ahead is then given up and begun
/// again. Where that happens often, or most records are not plain, it waits for longer and longer.
///
/// Where records ask for predictions, one after the other, all of their values are read in place of planned
/// ones, and no plan is begun for them.
///
/// Where the stream is as fast without it, lines are read ahead only in short trials (ReadingChoice).
///
/// Memory: up to kMostJobs jobs of 16 records with their plans, and the blocks that they are of.
/// Thread-safety: none; the trainer's.
class ReadAhead {
 public:
  /// The lines of a text and what keeps them.
  using Text = TextOfLines;
  /// What comes behind the block that is worked on, where it is of the same feed and there already.
  using Following = std::function<std::optional<Text>()>;

  /// `first`: as it begins with each feed. `always`: not only where it is faster.
  ReadAhead(std::shared_ptr<ReadJobs> jobs, ReadingChoice first, bool always);

  /// Whether what is ahead is of this feed, or the last that was.
  bool is_of(const std::shared_ptr<Feed>& feed) const;
  /// The trainer begins a block of `feed`.
  void enter(const std::shared_ptr<Feed>& feed, Text text);
  /// The line that begins at `at` is the one that is worked on next.
  void step(const char* at);
  /// Tells whether the present record has no label.
  void note_asks(bool asks);
  /// Whether the next records are expected to have no label, as those before had none.
  bool is_whole() const { return is_whole_; }
  /// Its length without its newline, where that is known.
  std::optional<std::size_t> line_length() const;
  /// Whether more() is worth calling now. O(1).
  bool wants_more() const { return is_on() && size_ <= target_ / 2 && pause_ == 0 && retry_ == 0; }
  /// Binds the records from the present one on to plans that are begun ahead, and has them read.
  /// `is_held_out(i)`: the i-th from the present one will be, and uses no plan. Draws from `random` as
  /// PlanAhead.
  void more(Learner& learner, PlanAhead& plans, Random& random, const AttributeNames& names,
            const std::function<bool(std::size_t)>& is_held_out, const Following& following);
  /// What was read of the present record for the plan that comes next; nullptr: nothing. Until the next call.
  const ReadJob::Found* found(const Learner& learner, const PlanAhead& plans, const AttributeNames& names);
  /// Forgets what is ahead, and how records are read: names are not what they were.
  void forget();

  /// Whether the reading thread should find the lines of this feed.
  bool is_reading(const std::shared_ptr<Feed>& feed) const {
    return is_of(feed) && readers_ && pause_ == 0 && is_on();
  }
  /// Records whose values another thread read in time.
  std::uint64_t taken() const { return taken_; }

 private:
  static constexpr std::size_t kMostJobs = 48;
  static constexpr std::size_t kLead = 4;  // records that the trainer reads itself while the first are read

  bool is_on() const { return always_ || choice_.reads_ahead(); }
  void finish_present();
  bool is_bound_to_plan(std::uint64_t plan) const { return plan != 0 && plan != ReadJob::kWhole; }
  void give_up();
  void give_up_shifted();
  void pause(std::size_t& last, std::size_t least, std::size_t most);
  bool has_readers(const AttributeNames& names);
  std::optional<std::string_view> next_line(const Following& following);
  std::shared_ptr<ReadJob> idle_job();
  void put_away(std::shared_ptr<ReadJob> job);
  void note_kind(bool is_plain);

  const std::shared_ptr<ReadJobs> threads_;
  const bool always_;
  const ReadingChoice first_choice_;
  ReadingChoice choice_;
  std::weak_ptr<Feed> feed_;
  std::shared_ptr<PlainReaders> readers_;  // of feed_
  std::uint64_t readers_age_ = 0;          // records since they were made
  std::uint64_t step_ = 0;                 // records of feed_

  std::deque<std::shared_ptr<ReadJob>> ahead_;
  std::size_t front_ = 0;                       // the first record of the first job that is ahead
  std::size_t size_ = 0;                        // records that are ahead
  std::size_t planned_ = 0;                     // of these, those bound to a plan
  std::size_t bytes_ = 0;                       // of their lines
  bool is_whole_ = false;                       // they are bound to none, and read whole
  std::size_t asked_ = 0;                       // records in a row that asked for predictions
  bool is_present_ = false;                     // the first of them is the one that is worked on
  std::uint64_t since_begin_ = 0;               // records that passed since the window was begun
  std::vector<std::shared_ptr<ReadJob>> used_;  // that passed
  std::size_t jobs_ = 0;                        // that there are
  std::vector<std::shared_ptr<ReadJob>> posted_;

  Text block_;                     // that is worked on
  std::size_t line_ = 0;           // the present line's number in it
  const char* present_ = nullptr;  // where it begins
  Text text_;                      // block_ or what follows it
  std::size_t next_ = 0;           // where in it the first line begins that is not ahead
  std::size_t next_line_ = 0;      // and its number
  bool is_behind_ = false;         // text_ follows block_

  std::size_t target_;     // records that shall be ahead
  std::size_t pause_ = 0;  // records until more() is worth calling
  std::size_t retry_ = 0;
  std::size_t last_shift_pause_ = 0;
  std::size_t last_odd_pause_ = 0;
  std::size_t plain_ = 0;  // of the last records that were read
  std::size_t odd_ = 0;
  std::uint64_t taken_ = 0;
  ReadJob::Found found_{};
};

}  // namespace glimpse
