#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "glimpsectl/command_line.h"
#include "glimpsectl/input/console.h"

namespace glimpse::ctl {

/// Of a file.
inline constexpr const char* kEndedLine =
    "the last line has no newline and was sent as it is: where the file still grows, what is added to that "
    "line is not sent";

/// What send tells on console.err: single lines, and, on a terminal, one of progress that is drawn again and
/// again. Thread-safety: none.
class SendNotes {
 public:
  struct Progress {
    std::uint64_t bytes = 0;     ///< sent now
    std::uint64_t position = 0;  ///< records of the source that were read
    std::uint64_t sent = 0;      ///< records sent now
    std::uint64_t durable = 0;   ///< records of the source
  };

  /// The time between two drawings, and so the longest one between two calls of show().
  static constexpr std::chrono::milliseconds kRedraw{500};

  explicit SendNotes(Console& console);

  /// "glimpsectl: message".
  void note(const std::string& message);
  /// Draws it, where it is time to.
  void show(const Progress& progress);
  /// Takes the line of progress away.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  Console& console_;
  const bool shows_;
  bool shown_ = false;
  const Clock::time_point begun_ = Clock::now();
  Clock::time_point drawn_{};
};

/// "1,200 records of SOURCE are durable, 200 of them sent now", on a line of its own.
void tell_end(Console& console, const std::string& source, std::uint64_t durable, std::uint64_t sent);

/// "1 record" and "1 record is", "1,200 records" and "1,200 records are".
std::string records(std::uint64_t count);
std::string records_are(std::uint64_t count);

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
