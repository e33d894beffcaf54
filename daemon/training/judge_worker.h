#pragma once

#include <atomic>

#include <boost/asio/thread_pool.hpp>

#include "learn/core/solving.h"

namespace glimpse {

/// Solves for the models that judge (Solving::take_ahead()) on a thread of its own, at a lower priority,
/// where the learner solves for its model itself (--solver inline). The learner uses such a model from a
/// fixed example on, and waits for it there: what it learns and tells is to the bit what it is without this.
/// ModelSolver does the same beside the model.
///
/// Thread-safety: all members are for the trainer's thread, between two examples. Construction and
/// destruction happen when no trainer runs.
class JudgeWorker {
 public:
  JudgeWorker();
  /// Gives up a solve that is under way: the learner does it itself, should it still learn.
  ~JudgeWorker();

  /// Whether turn() has something to do. Cheap: asked for each example. `solving` may be another one each
  /// time.
  bool wants_turn(Solving& solving);
  /// Hands over what there is.
  void turn(Solving& solving);

 private:
  int until_look_ = 0;  // examples until the learner is asked
  std::atomic<bool> cancelled_{false};
  boost::asio::thread_pool worker_{1};
};

}  // namespace glimpse
