#include <utility>

#include "learn/pairwise/solving_learner.h"

// What others solve for: models out of captures, and the models that judge before they are needed.

namespace glimpse {

void SolvingLearner::begin_capture() {
  begin_shared_capture();
  for (std::size_t l = 1; l < label_count(); ++l)
    static_cast<SolvingLearner&>(of_label(l)).begin_shared_capture();
  start_capture();
}

void SolvingLearner::begin_shared_capture() {
  if (!solved_elsewhere_) solve_memory_ = {};  // a capture has its own
  solved_elsewhere_ = true;
  judged_elsewhere_ = true;
  granted_ = std::exchange(wish_, {});
}

void SolvingLearner::adopt(std::shared_ptr<const Solution> solution) {
  for (std::size_t l = 1; l < label_count(); ++l) of_label(l).solving()->adopt(solution->further[l - 1]);
  solution_ = std::move(solution);
  adopted_ = true;
}

std::shared_ptr<SolveAhead> SolvingLearner::take_ahead() {
  if (pending_ && pending_->is_to_be_taken()) return pending_->take();
  for (std::size_t l = 1; l < label_count(); ++l)
    if (of_label(l).solving()->has_ahead()) return of_label(l).solving()->take_ahead();
  return nullptr;
}

bool SolvingLearner::has_ahead() const {
  bool any = pending_ && pending_->is_to_be_taken();
  for (std::size_t l = 1; l < label_count(); ++l)
    any = any || static_cast<const SolvingLearner&>(of_label(l)).has_ahead();
  return any;
}

void SolvingLearner::leave_ahead_to_others() {
  for (std::size_t l = 0; l < label_count(); ++l)
    static_cast<SolvingLearner&>(of_label(l)).judged_elsewhere_ = true;
}

}  // namespace glimpse
