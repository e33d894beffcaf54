#pragma once

#include <memory>

namespace glimpse {

/// Work in parts. Any thread may do a part, in any order. The result is the same to the bit.
/// Thread-safety: full.
class SharedWork {
 public:
  virtual ~SharedWork() = default;
  /// Does one part that nobody has begun. False: there was none.
  virtual bool help() = 0;
};

/// Threads that help with work while they have nothing more urgent to do. Thread-safety: full.
class Helpers {
 public:
  virtual ~Helpers() = default;
  /// Threads may do parts of it until there are none left, or do none. The thread that posts must do what is
  /// left, and wait for the parts that were begun.
  virtual void post(std::shared_ptr<SharedWork> work) = 0;
};

}  // namespace glimpse
