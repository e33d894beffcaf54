#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string_view>
#include <thread>

namespace glimpse {

/// Standard output, where predictions for files and standard input go. A thread of its own writes what the
/// trainer appends. So a reader that is slow, or has stopped, holds up only the threads that read the input.
/// When the descriptor fails (the disk is full, the reader is gone) that is logged once, and everything that
/// comes is thrown away and counted. Thread-safety: append() from the trainer's thread, wait_for_room() from
/// any number of readers, the rest from any.
class ReplyWriter {
 public:
  /// Of replies that were not written yet, and of input whose replies are still to come, before reading
  /// pauses.
  static constexpr std::size_t kMostUnwritten = std::size_t{1} << 20;

  explicit ReplyWriter(int descriptor, std::size_t limit = kMostUnwritten);
  /// Throws away what was not written.
  ~ReplyWriter();

  /// `input_bytes` are on their way to the trainer. Short lines get long replies, so they count beside the
  /// backlog until their append() comes.
  void expect(std::size_t input_bytes);
  /// Takes replies (whole lines) to `input_bytes` that were expected. Never waits for the descriptor.
  void append(std::size_t input_bytes, std::string_view replies);

  /// Waits until reading may go on; false when `stopping` became true instead (call wake() after setting it).
  bool wait_for_room(const std::atomic<bool>& stopping);
  void wake();

  /// True when everything was handed to the system, or thrown away.
  bool idle() const;
  /// Lines that were thrown away because the descriptor failed, the line amid which it did among them.
  std::size_t lost() const;
  /// Throws away what was not written, and everything that still comes; does not wait for a write that hangs.
  /// Returns the number of lines.
  std::size_t abandon();

 private:
  struct Shared;  // outlives this where a write hangs

  const std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace glimpse
