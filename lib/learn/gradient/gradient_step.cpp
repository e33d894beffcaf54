#include <algorithm>
#include <cmath>

#include "learn/evaluation/pair_residual.h"
#include "learn/gradient/gradient_learner.h"
#include "learn/iterates/exponentiated_weights.h"
#include "learn/iterates/lazy_weights.h"

namespace glimpse {

// What GradientLearner does with the values of a plan.

namespace {
constexpr double kReveals = 2;  // of each attribute, on average, until the auto step's V is taken to be known
}  // namespace

template <class Weights>
Outcome GradientLearner<Weights>::step(const Plan& plan, std::span<const double> values, double label,
                                       double importance) {
  // A plan that comes out of a checkpoint may be of another shape than those of plan().
  const bool is_own =
      plan.attributes.size() <= trust_.size() && iterates_.fits(plan) &&
      (!pairs_ || plan.inner_product.empty() || plan.inner_product.size() == plan.data_point.size());
  if (!is_own) return Outcome::kDiverged;
  if (plan.generation != generation_) return Outcome::kLeftOut;
  if (!past_models_.empty())
    if (const auto rise = past_models_.judge(plan, values, label, true).rise) note_rise(*rise);
  iterates_.count_iterate();
  const Revealed revealed = iterates_.reveal(plan, values);
  trust_units(plan);
  const double phi = residual(plan, revealed, label);
  collect_gradient(plan, revealed, phi, plan.offset - label, importance);
  choose_step(plan, revealed, importance);
  if (options().bias)
    changes_.push_back({static_cast<Attribute>(iterates_.dimension()), phi * importance, 1, 0});
  bool in_range = true;
  for (Change& change : changes_) {
    change.amount = rate(change) * change.gradient;
    in_range = in_range && iterates_.accepts_step(change.attribute, change.amount);
  }
  const bool all_changed = in_range && change_weights();
  iterates_.put_back(plan);
  if (all_changed) {
    add_up_weights();
  } else {
    planner_->update(plan.attributes);
  }
  iterates_.count_label(label, importance);
  return in_range ? Outcome::kLearned : Outcome::kDiverged;
}

template <class Weights>
void GradientLearner<Weights>::trust_units(const Plan& plan) {
  if (!cautious_) return;
  for (std::size_t a = 0; a < plan.attributes.size(); ++a)
    trust_[a] = unit_trust_(iterates_.moment(plan.attributes[a]));
}

template <class Weights>
double GradientLearner<Weights>::residual(const Plan& plan, const Revealed& revealed, double label) {
  PairResidual residual = pair_residual(plan, revealed.x, label, counts_.inner_product,
                                        [&](std::uint32_t position) { return revealed.shrunk[position]; });
  if (variant_.full_information) residual.squared_error = residual.phi * residual.phi;
  count_loss(residual.squared_error);
  return residual.phi;
}

// g̃ = φ̃·x̃. With pairs, draw b's share of x̃ is multiplied by what the other draws say of the residual, their
// sum being the sum of all without b's own:
//
//   1/(K(K−1)) Σ_{a≠b} (t_a + rest)(x_b/r_b)e_b = Σ_b [(Σ_a t_a/K − t_b/K)·K/(K−1) + rest]·x_b/(K r_b)·e_b
//
// with t_a = w_a x_a/r_a and rest = offset − y.
template <class Weights>
void GradientLearner<Weights>::collect_gradient(const Plan& plan, const Revealed& revealed, double phi,
                                                double rest, double importance) {
  changes_.clear();
  draw_order_.clear();
  for (std::uint32_t r = 0; r < plan.data_point.size(); ++r)
    draw_order_.push_back(static_cast<std::uint64_t>(plan.data_point[r].position) << 32 | r);
  std::sort(draw_order_.begin(), draw_order_.end());
  const bool leave_one_out = pairs_ && !plan.inner_product.empty();
  const double of_all = phi - rest;
  const double spread_over = counts_.data_point / (counts_.data_point - 1.0);
  double squares = 0;
  for (const std::uint64_t key : draw_order_) {
    const auto r = static_cast<std::uint32_t>(key);
    const Draw& draw = plan.data_point[r];
    double residual = phi;
    if (leave_one_out) {
      const double own =
          plan.inner_product[r].coefficient * revealed.shrunk[draw.position] * revealed.x[draw.position];
      residual = rest + (of_all - own) * spread_over;
    }
    squares += residual * residual;
    const Attribute attribute = plan.attributes[draw.position];
    const double gradient = residual * importance * (draw.coefficient * revealed.x[draw.position]);
    if (!changes_.empty() && changes_.back().attribute == attribute) {
      changes_.back().gradient += gradient;
    } else {
      changes_.push_back({attribute, gradient, trust_[draw.position], 0});
    }
  }
  residual_scale_ = leave_one_out ? std::sqrt(squares / counts_.data_point) : std::abs(phi);
}

template <class Weights>
void GradientLearner<Weights>::choose_step(const Plan& plan, const Revealed& revealed, double importance) {
  switch (options().step) {
    case StepKind::kAuto:
      eta_ = auto_step_.next(step_facts(plan, revealed, importance), memory_);
      return;
    case StepKind::kTheory:
      eta_ = theory_eta_;
      return;
    case StepKind::kNumber:
    case StepKind::kAdaGrad:
      eta_ =
          phase_.phase() == 1 ? options().phase1_step.value_or(options().step_number) : options().step_number;
      return;
  }
}

// AdaGrad (Duchi, Hazan & Singer 2011; KS14, appendix A): η_i = η/√Σ g̃_i².
template <class Weights>
double GradientLearner<Weights>::rate(const Change& change) const {
  if (options().step != StepKind::kAdaGrad) return eta_ * change.trust;
  const double squares = squares_with(change.attribute, change.gradient);
  if (!std::isfinite(squares)) return NAN;
  return squares > 0 ? eta_ / std::sqrt(squares) : 0;
}

template <class Weights>
bool GradientLearner<Weights>::change_weights() {
  const bool adagrad = options().step == StepKind::kAdaGrad;
  for (const Change& change : changes_) {
    const Attribute i = change.attribute;
    if (adagrad) squares_[i] = squares_with(i, change.gradient);
    iterates_.step(i, change.amount);
  }
  return iterates_.end_step();
}

template <class Weights>
StepFacts GradientLearner<Weights>::step_facts(const Plan& plan, const Revealed& revealed,
                                               double importance) const {
  double estimate_square =
      options().bias ? 1 : 0;              // ‖x̃‖²: draws of the same attribute add up before squaring
  double square = options().bias ? 1 : 0;  // (1/k_x)Σ x²/q
  std::uint32_t open = ~0U;
  double part = 0;
  double trust = 1;
  for (const std::uint64_t key : draw_order_) {  // in the order collect_gradient() left: by attribute
    const Draw& draw = plan.data_point[static_cast<std::uint32_t>(key)];
    const double unit = revealed.units[draw.position];
    if (unit == 0) continue;
    const double value = revealed.x[draw.position] / unit;
    if (draw.position != open) {
      estimate_square += trust * (part * part);
      part = 0;
      trust = trust_[draw.position];
      open = draw.position;
    }
    square += trust * (draw.coefficient * value * value);
    part += draw.coefficient * value;
  }
  estimate_square += trust * (part * part);
  double inner_draws = counts_.inner_product;
  if (pairs_) --inner_draws;  // all but the one that they multiply
  if (variant_.full_information) inner_draws = 0;
  return {estimate_square,
          square,
          inner_draws,
          residual_scale_,
          planner_->largest_second(),
          iterates_.coordinates(),
          pairs_ || centred_
              ? kReveals * static_cast<double>(iterates_.dimension()) / planner_->draws_an_example()
              : 0,
          importance};
}

template Outcome GradientLearner<LazyWeights>::step(const Plan&, std::span<const double>, double, double);
template Outcome GradientLearner<ExponentiatedWeights>::step(const Plan&, std::span<const double>, double,
                                                             double);

}  // namespace glimpse
