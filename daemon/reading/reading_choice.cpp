#include "daemon/reading/reading_choice.h"

#include <algorithm>

namespace glimpse {

void ReadingChoice::begin_block(Time now, std::size_t bytes, std::size_t waiting) {
  if (blocks_ >= kLeastBlocks && now - begin_ >= kTurn) {
    const bool was_ahead = ahead_;
    end_turn(std::chrono::duration<double>(now - begin_).count() / static_cast<double>(bytes_));
    blocks_ = 0;
    settling_ = ahead_ != was_ahead ? waiting : 0;
  }
  if (settling_ > 0) {
    --settling_;
    return;
  }
  if (blocks_ == 0) {
    begin_ = now;
    bytes_ = 0;
  }
  ++blocks_;
  bytes_ += bytes;
}

void ReadingChoice::end_turn(double seconds_a_byte) {
  if (!is_trial_) {
    seconds_a_byte_ = seconds_a_byte;
    if (++turns_ < interval_) return;
    is_trial_ = true;
    ahead_ = !ahead_;
    return;
  }
  const double other = ahead_ ? kAlike * seconds_a_byte : seconds_a_byte / kAlike;
  is_trial_ = false;
  turns_ = 0;
  if (other < seconds_a_byte_) {
    interval_ = kNextTurns;
    return;
  }
  interval_ = std::min(2 * interval_, kMostTurns);
  ahead_ = !ahead_;
}

}  // namespace glimpse
