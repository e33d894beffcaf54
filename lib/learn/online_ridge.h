#pragma once

#include <vector>

#include "learn/learner.h"
#include "learn/step_size.h"

namespace glimpse {

/// Online ridge: online gradient descent that sees every attribute, g = (⟨w, x⟩ − y)x, projected on ‖w‖₂ ≤ B;
/// the model is the average of the iterates (Zinkevich 2003). The full-information learner that the budgeted
/// ones are compared with: a step costs O(d), and every attribute is counted as revealed. Theory's step is
/// 1/√m (2B/(G√m), G = 2B); the auto step has no inner-product noise and is constant: ½/E‖x‖².
class OnlineRidge final : public Learner {
 public:
  explicit OnlineRidge(const LearnerOptions& options);

  void plan(Random& random, Plan& plan) override;
  double predict(std::span<const Entry> entries) const override;
  void model(Model& model) const override;
  SamplingRow sampling_row(Attribute attribute) const override { return {moments_[attribute], 1}; }
  double step_size() const override { return eta_; }
  std::size_t memory_bytes() const override {
    return moments_.memory_bytes() + (weights_.size() + sums_.size()) * 8;
  }

 protected:
  Outcome step(const Plan& plan, std::span<const double> values, double label, double importance) override;
  void save_state(State& state) const override;
  Status restore_state(const State& state) override;

 private:
  double unit(std::size_t i) const {
    return options().step == StepKind::kAuto ? static_cast<double>(moments_[i].max_abs) : 1;
  }
  double averaged(std::size_t i) const {
    return iterates_ == 0 ? weights_[i] : sums_[i] / static_cast<double>(iterates_);
  }
  double label_offset() const {
    return options().step == StepKind::kAuto && options().bias ? label_mean_ : 0;
  }

  std::vector<double> weights_;  // d coordinates, and the bias
  std::vector<double> sums_;     // Σ w_τ
  SecondMoments moments_;
  AutoStep auto_step_;
  double eta_ = 0;
  double label_mean_ = 0;
  double label_weight_ = 0;  // the importances, summed
  std::uint64_t iterates_ = 0;
  std::vector<double> next_;  // v, before it is known to be in range
};

}  // namespace glimpse
