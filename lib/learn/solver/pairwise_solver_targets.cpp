#include "learn/solver/pairwise_solver.h"

// Solutions for further labels from the same matrix.

namespace glimpse {

PairwiseChoice PairwiseSolver::solve_target(const PairSnapshot& moments, std::size_t target, bool is_first,
                                            const std::optional<NormBall>& ball, Model& model,
                                            const Cancelled& cancelled, std::size_t steps) {
  label_ = target;
  if (is_first) {
    shared_signal_.reset();
    prepare(moments, ball.has_value());
    noise_level_ = ridge_factor_ * noise_level(moments);
    fill_covariances(moments);
  } else {
    prepare_label(moments);
    null_squares_ += null_pairs_ * label_square_ * label_square_;
  }
  return solve_prepared(moments, ball, model, cancelled, steps);
}

void PairwiseSolver::share_signal(const PairSnapshot& moments) {
  const std::optional<std::size_t> last = label_;
  double ratios = 0;
  double degrees = 0;
  double targets = 0;
  for (std::size_t t = 0; t < moments.targets(); ++t) {
    label_ = t;
    prepare_label(moments);
    null_squares_ += null_pairs_ * label_square_ * label_square_;
    if (!(null_mean_ > 0)) continue;
    ratios += evidence_ / null_mean_;
    degrees += null_mean_ * null_mean_ / null_squares_;
    ++targets;
  }
  shared_signal_ = targets > 1 ? signal_share(ratios / targets, degrees * (targets - 1) / targets) : 1;
  label_ = last;
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
