#pragma once

#include <functional>

namespace glimpse {

/// A piece of work whose result a learner needs at a fixed later example. Any thread may do it before. If
/// none did, the learner does it then; if one has begun, the learner waits for it. The result is the same.
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
