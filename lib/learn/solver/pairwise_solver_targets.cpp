#include "learn/solver/pairwise_solver.h"

// Solutions for further labels from the same matrix.

namespace glimpse {

// The null distribution of each target is scaled from that of the one that varies most.
void PairwiseSolver::begin_targets(const PairSnapshot& moments, bool in_ball) {
  std::size_t most = 0;
  for (std::size_t t = 1; t < moments.targets(); ++t)
    if (moments.target(t).variance() > moments.target(most).variance()) most = t;
  label_ = most;
  fill_matrix(moments, in_ball);
  double ratios = 0;
  double degrees = 0;
  double targets = 0;
  for (std::size_t t = 0; t < moments.targets(); ++t) {
    prepare_target(moments, t);
    if (!(null_mean_ > 0)) continue;
    ratios += evidence_ / null_mean_;
    degrees += null_mean_ * null_mean_ / null_squares_;
    ++targets;
  }
  shared_signal_ = targets > 1 ? signal_share(ratios / targets, degrees * (targets - 1) / targets) : 1;
}

void PairwiseSolver::prepare_target(const PairSnapshot& moments, std::size_t target) {
  label_ = target;
  prepare_label(moments);
  null_squares_ += null_pairs_ * label_square_ * label_square_;
}

PairwiseChoice PairwiseSolver::solve_target(const PairSnapshot& moments, std::size_t target,
                                            const std::optional<NormBall>& ball, Model& model,
                                            const Cancelled& cancelled, std::size_t steps) {
  prepare_target(moments, target);
  return solve_prepared(moments, ball, model, cancelled, steps);
}

double PairwiseSolver::label_mean(const PairSnapshot& moments) const {
  return label_ ? moments.target(*label_).mean() : moments.label().mean();
}

double PairwiseSolver::label_centre(const PairSnapshot& moments) const {
  return label_ ? moments.target_centre(*label_) : moments.label_centre();
}

double PairwiseSolver::label_variance(const PairSnapshot& moments) const {
  return label_ ? moments.target(*label_).variance() : moments.label().variance();
}

}  // namespace glimpse
