#include "learn/gradient/gradient_estimate.h"

#include <algorithm>
#include <cmath>

#include "learn/evaluation/residuals.h"

namespace glimpse {

namespace {
double independent_draws(PlanKind kind, const DrawCounts& counts) {
  if (kind == PlanKind::kEverything) return 0;
  const double k = counts.inner_product;
  return kind == PlanKind::kPairs ? k - 1 : k;  // all but the one that they multiply
}
}  // namespace

GradientEstimate::GradientEstimate(const LearnerOptions& options, PlanKind kind, std::size_t most)
    : pairs_(kind == PlanKind::kPairs),
      exact_(kind == PlanKind::kEverything),
      counts_(draw_counts(options, kind)),
      inner_draws_(independent_draws(kind, counts_)),
      most_(most) {
  terms_.reserve(most + 1);
  draw_order_.reserve(most);
}

// With pairs, draw b's share of x̃ is multiplied by what the other draws say of the residual, their sum being
// the sum of all without b's own:
//
//   1/(K(K−1)) Σ_{a≠b} (t_a + rest)(x_b/r_b)e_b = Σ_b [(Σ_a t_a/K − t_b/K)·K/(K−1) + rest]·x_b/(K r_b)·e_b
//
// with t_a = w_a x_a/r_a and rest = offset − y.
void GradientEstimate::collect(const Plan& plan, const Revealed& revealed, std::span<const double> trust,
                               double label, double importance) {
  const PairResidual all = pair_residual(plan, revealed.x, label, counts_.inner_product,
                                         [&](std::uint32_t position) { return revealed.shrunk[position]; });
  phi_ = all.phi;
  squared_error_ = exact_ ? phi_ * phi_ : all.squared_error;
  terms_.clear();
  draw_order_.clear();
  for (std::uint32_t r = 0; r < plan.data_point.size(); ++r)
    draw_order_.push_back(static_cast<std::uint64_t>(plan.data_point[r].position) << 32 | r);
  std::sort(draw_order_.begin(), draw_order_.end());
  const bool leave_one_out = pairs_ && !plan.inner_product.empty();
  const double rest = plan.offset - label;
  const double of_all = phi_ - rest;
  const double spread_over = counts_.data_point / (counts_.data_point - 1.0);
  double squares = 0;
  for (const std::uint64_t key : draw_order_) {
    const auto r = static_cast<std::uint32_t>(key);
    const Draw& draw = plan.data_point[r];
    double residual = phi_;
    if (leave_one_out) {
      const double own =
          plan.inner_product[r].coefficient * revealed.shrunk[draw.position] * revealed.x[draw.position];
      residual = rest + (of_all - own) * spread_over;
    }
    squares += residual * residual;
    const Attribute attribute = plan.attributes[draw.position];
    const double gradient = residual * importance * (draw.coefficient * revealed.x[draw.position]);
    if (!terms_.empty() && terms_.back().attribute == attribute) {
      terms_.back().gradient += gradient;
    } else {
      terms_.push_back({attribute, gradient, trust[draw.position]});
    }
  }
  residual_scale_ = leave_one_out ? std::sqrt(squares / counts_.data_point) : std::abs(phi_);
}

}  // namespace glimpse
