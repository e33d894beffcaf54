#pragma once

namespace glimpse {

/// An input that is read on a thread of its own, whatever it reads. Its destructor waits for that thread.
/// Thread-safety: all members from one thread.
class RunningInput {
 public:
  RunningInput() = default;
  RunningInput(const RunningInput&) = delete;
  RunningInput& operator=(const RunningInput&) = delete;
  virtual ~RunningInput() = default;

  virtual void start() = 0;
  /// Stops reading soon; what was read is queued.
  virtual void stop() = 0;
};

}  // namespace glimpse
