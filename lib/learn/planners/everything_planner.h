#pragma once

#include "learn/planners/gradient_planner.h"

namespace glimpse {

/// Plans of full information: every attribute, or every one that is available, once in both parts with its
/// weight, so that φ̃ is the residual and g̃ the gradient. Nothing is drawn, q and p lie idle. O(d) a plan.
/// See GradientPlanner for units and thread-safety.
template <class Weights>
class EverythingPlanner final : public GradientPlanner<Weights> {
 public:
  EverythingPlanner(const LearnerOptions& options, const GradientIterates<Weights>& iterates);

  void begin_uniform_phase() override { largest_ratio_ = 1; }
  void update(std::span<const Attribute>) override {}

 protected:
  void draw(Random& random, Plan& plan) override;
  Status draw_among(Random& random, std::span<const Attribute> available, Plan& plan) override;

 private:
  using Base = GradientPlanner<Weights>;
  using Base::iterates_;
  using Base::largest_ratio_;

  void take(Attribute i, Plan& plan) const;
};

}  // namespace glimpse
