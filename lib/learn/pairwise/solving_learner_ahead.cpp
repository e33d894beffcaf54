#include "learn/pairwise/solving_learner.h"

// The models that judge, solved for by others before they are needed.

namespace glimpse {

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
