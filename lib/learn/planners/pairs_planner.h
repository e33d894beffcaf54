#pragma once

#include "learn/planners/gradient_planner.h"

namespace glimpse {

/// Plans whose draws serve both parts through their pairs (DRAWS.md): all K from r = ½q + ½p, each falling to
/// q or p by the toss of a coin. Which ones do is no matter, only how many, so those that fall to q may be
/// made beforehand. While w = 0 there is no p, and r = q. See GradientPlanner for units, cost and
/// thread-safety.
template <class Weights>
class PairsPlanner final : public GradientPlanner<Weights> {
 public:
  PairsPlanner(const LearnerOptions& options, const GradientIterates<Weights>& iterates);

  std::optional<std::uint64_t> version() const override { return this->version_of_q(); }
  void begin(Random& random, Plan& plan) override;

 protected:
  void draw(Random& random, Plan& plan) override;
  Status draw_among(Random& random, std::span<const Attribute> available, Plan& plan) override;

 private:
  using Base = GradientPlanner<Weights>;
  using Base::among_p_;
  using Base::among_q_;
  using Base::builder_;
  using Base::counts_;
  using Base::draws_;
  using Base::iterates_;
  using Base::p_;
  using Base::q_;

  // How many draws fall to q.
  std::uint32_t toss(Random& random) const;
  // A draw of i, for all K of them: `total` is of the weights that p is of.
  void add_pair(Attribute i, double q, double total) {
    const double share = counts_.data_point * (q + p_.weight(i) / total) / 2;
    builder_.add_pair(i, 1 / share, iterates_.weight(i) / share);
  }
};

}  // namespace glimpse
