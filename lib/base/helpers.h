#pragma once

#include <memory>

namespace glimpse {

/// Work in parts, each of which any thread may do, in any order: what it makes is the same to the bit.
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
  /// They help until no part is left to begin, or never. Whoever posts does the parts as well, and waits for
  /// those that were begun: so nothing depends on whether somebody helps.
  virtual void post(std::shared_ptr<SharedWork> work) = 0;
};

}  // namespace glimpse
