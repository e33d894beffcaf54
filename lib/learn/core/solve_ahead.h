#pragma once

#include <functional>

namespace glimpse {

/// A piece of work that a learner will need the result of at a fixed later example. Whoever has time does it
/// before, on any thread; else the learner does it then, or waits for who has begun. The result is the same.
class SolveAhead {
 public:
  /// Asked now and then, on the thread that works: true gives it up.
  using Cancelled = std::function<bool()>;

  virtual ~SolveAhead() = default;

  /// Does the work, unless somebody did or does so. Given up, or where there was no memory for it, it is
  /// still to be done. Any thread.
  virtual void run(const Cancelled& cancelled) = 0;
};

}  // namespace glimpse
