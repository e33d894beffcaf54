#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "learn/model.h"
#include "learn/target_moments.h"

namespace glimpse {

/// A model that was solved for, and what it was made from. Immutable once made.
struct Solution {
  Model model;
  ModelOrigin origin;
  TargetMoments moments;  ///< of the attributes as the model knew them
};

/// What a learner offers beside Learner when its model is solved for, out of statistics, and not kept up step
/// by step (Learner::solving()): the solution can be had on another thread, from a copy, while learning goes
/// on.
///
///     begin_capture();                   // the learner's thread, between two examples
///     while (!capture(bytes)) learn;     // the same: slices of the copy, and examples between them
///     auto solution = solve();           // any thread; learning goes on
///     adopt(solution);                   // the learner's thread: predict() and model() use it from now on
///
/// Until the first adopt() such a learner solves by itself, on the thread that asks: model() whenever
/// examples came since, predict() when the last solution is older than 2 % of them. That form is
/// deterministic. A capture must not be under way then, nor solve().
///
/// One capture, and one solve() after it, at a time. Whoever calls solve() on another thread sees to it that
/// it begins after the capture and ends before the next one, as a queue or a mutex does.
class Solving {
 public:
  /// Asked now and then by solve(), on its thread: true gives it up.
  using Cancelled = std::function<bool()>;

  virtual ~Solving() = default;

  /// Starts to copy what a solution needs; gives up a copy that was begun before. From the first call on
  /// solutions come from elsewhere: the learner solves nothing of its own accord. O(d).
  virtual void begin_capture() = 0;
  /// Copies about `bytes` more; true once the copy is complete. A copy during which the examples became
  /// more by a quarter, or the stream changed, is begun again: its parts would belong to different times.
  virtual bool capture(std::size_t bytes) = 0;
  /// The solution of what was captured; nullptr when it was cancelled.
  virtual std::shared_ptr<const Solution> solve(const Cancelled& cancelled) = 0;
  virtual void adopt(std::shared_ptr<const Solution> solution) = 0;
};

}  // namespace glimpse
