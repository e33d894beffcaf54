#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"
#include "glimpsectl/command_line.h"

namespace glimpse::ctl {

/// How long send waits for somebody who does not answer, and how often it tries: --wait before the first
/// answer, where it is given, else --patience. Thread-safety: none.
class SendPatience {
 public:
  /// `longest_unmet`: between two tries before the first answer.
  explicit SendPatience(const CommandLine& line, std::chrono::milliseconds longest_unmet = kLongestPause);

  /// The other side answered.
  void note_met();
  /// `limit`, or what is left where that is less, but a second at least.
  std::chrono::milliseconds within(std::chrono::milliseconds limit) const {
    return std::min(limit, std::max(left(), std::chrono::milliseconds(1000)));
  }
  bool has_met() const { return has_met_; }
  /// Something went on.
  void note_moved() { moved_ = Clock::now(); }
  /// It is not the other side that is waited for.
  void note_idle() {
    note_moved();
    is_fruitless_ = false;
  }
  /// How long nothing did.
  std::chrono::nanoseconds still() const { return Clock::now() - moved_; }

  /// "10m (--patience)": what is waited for at most now.
  std::string limit() const;
  /// It is over.
  bool is_over() const { return left().count() <= 0; }
  /// Until the next try. Each pause is twice as long as the one before, up to 5 s. REQUIRES: !is_over().
  void pause();
  /// The connection is gone. `is_fruitful`: records are inside that were not before it. The patience begins
  /// again with such a one, and with the first that is not: one that greets and closes uses it up.
  void note_break(bool is_fruitful);
  /// "REASON; trying again for up to LIMIT", once for the same reason.
  std::optional<std::string> trying_again(const std::string& reason);

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kFirstPause{100};
  static constexpr std::chrono::milliseconds kLongestPause{5000};

  bool is_waiting() const { return !has_met_ && wait_.has_value(); }
  std::chrono::milliseconds most() const { return is_waiting() ? *wait_ : patience_; }
  std::chrono::milliseconds left() const {
    return std::chrono::ceil<std::chrono::milliseconds>(most() - (Clock::now() - began_));
  }

  const std::optional<std::chrono::milliseconds> wait_;
  const std::chrono::milliseconds patience_;
  const std::chrono::milliseconds longest_unmet_;
  bool has_met_ = false;
  std::chrono::milliseconds pause_ = kFirstPause;
  std::string told_;                        // why nobody answers
  bool is_fruitless_ = true;                // the last connection
  Clock::time_point began_ = Clock::now();  // of what left() is left of
  Clock::time_point moved_ = began_;
};

}  // namespace glimpse::ctl
