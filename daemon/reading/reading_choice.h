#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

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

}  // namespace glimpse
