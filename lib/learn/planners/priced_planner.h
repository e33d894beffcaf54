#pragma once

#include "learn/draws/priced_sampling.h"
#include "learn/planners/gradient_planner.h"

namespace glimpse {

/// Plans within a limit of cost (COSTS.md): separate sets as the papers', the inner-product draws first, in
/// the order in which they are paid for. q follows moments and prices (PricedSampling); in the uniform phase,
/// as though all moments were the same. Costs are in Money. Memory: 14 bytes an attribute beside p's. See
/// GradientPlanner for the rest.
template <class Weights>
class PricedPlanner final : public GradientPlanner<Weights> {
 public:
  PricedPlanner(const LearnerOptions& options, const GradientIterates<Weights>& iterates);

  void begin_uniform_phase() override;
  void plan_by(const MomentWeights& weights) override;

  double probability(Attribute attribute) const override { return priced_.probability(attribute); }

  std::size_t memory_bytes() const override { return Base::memory_bytes() + priced_.memory_bytes(); }
  void save(State& state) const override;
  Result<bool> restore(const State& state) override;

 protected:
  void draw(Random& random, Plan& plan) override;
  Status draw_among(Random& random, std::span<const Attribute> available, Plan& plan) override;

 private:
  using Base = GradientPlanner<Weights>;
  using Base::among_p_;
  using Base::builder_;
  using Base::counts_;
  using Base::largest_ratio_;
  using Base::p_;

  // What the learner asks of q at every step, after it was planned.
  void note_sampling();
  void pay_inner_draw(Attribute j, double total);

  const Money limit_;
  PricedSampling priced_;
};

}  // namespace glimpse
