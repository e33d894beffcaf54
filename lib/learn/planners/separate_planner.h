#pragma once

#include "learn/planners/gradient_planner.h"

namespace glimpse {

/// The papers' plans (KS15, Algorithm 1): k_x draws from q for x̃ and, independent of them, k_p from p for φ̃.
/// See GradientPlanner for units, cost and thread-safety.
template <class Weights>
class SeparatePlanner final : public GradientPlanner<Weights> {
 public:
  SeparatePlanner(const LearnerOptions& options, const GradientIterates<Weights>& iterates);

  std::optional<std::uint64_t> version() const override { return this->version_of_q(); }
  void begin(Random& random, Plan& plan) override;

 protected:
  void draw(Random& random, Plan& plan) override;
  Status draw_among(Random& random, std::span<const Attribute> available, Plan& plan) override;

 private:
  using Base = GradientPlanner<Weights>;
  using Base::builder_;
  using Base::counts_;
  using Base::draws_;
  using Base::iterates_;
  using Base::p_;
};

}  // namespace glimpse
