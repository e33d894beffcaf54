#include "learn/pairwise/solving_learner.h"
#include "learn/small_models/small_models.h"

namespace glimpse {

Status SolvingLearner::check_small_models() const {
  if (options().products > 0)
    return failure(ErrorCode::kUnavailable,
                   "a small model has no products: a daemon without --products chooses its attributes");
  if (is_classifier() && classes().size() > 2)
    return failure(ErrorCode::kUnavailable, "small models are of numbers or two classes, and there are {}",
                   classes().size());
  return {};
}

void SolvingLearner::find_small_models(const PairSnapshot& moments, const Prices* prices,
                                       const std::optional<NormBall>& ball, PairwiseSolver& solver,
                                       const Cancelled& cancelled, Solution& solution) const {
  if (options().products > 0 || moments.targets() > 2) return;
  for (const SmallModelQuestion& question : granted().small_models) {
    auto small = find_small_model(question, moments, prices, ball, solver, cancelled);
    if (!small) return;
    solution.small_models.push_back(std::move(*small));
  }
}

std::shared_ptr<const SmallModel> SolvingLearner::small_model(const SmallModelQuestion& question) const {
  if (!solution_) return nullptr;
  for (const SmallModel& small : solution_->small_models)
    if (small.question == question) return {solution_, &small};
  return nullptr;
}

}  // namespace glimpse
