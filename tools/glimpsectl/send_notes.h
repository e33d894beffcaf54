#pragma once

#include <chrono>
#include <cstdint>
#include <string>

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
/// A time as messages have it.
std::string readable(std::chrono::milliseconds time);

}  // namespace glimpse::ctl
