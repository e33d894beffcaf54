#include "learn/gaerr.h"

#include <algorithm>
#include <cmath>

#include "learn/moment_weights.h"

namespace glimpse {

namespace {
std::uint32_t data_draws(const LearnerOptions& options) {
  const auto k = static_cast<std::uint32_t>(options.budget);
  return options.split == Split::kEven ? k / 2 : k - 1;
}
}  // namespace

Gaerr::Gaerr(const LearnerOptions& options, const Variant& variant, const SecondMoments* known)
    : Learner(options),
      dimension_(options.dimension),
      data_draws_(data_draws(options)),
      inner_draws_(static_cast<std::uint32_t>(options.budget) - data_draws_),
      variant_(variant),
      weights_(options.dimension + 1),
      moments_(options.dimension),
      q_(options.dimension),
      p_(options.dimension),
      phase_(variant.rule, phase1_length(options), options.dimension, options.budget) {
  if (known != nullptr)
    for (std::size_t i = 0; i < dimension_; ++i) moments_.set(static_cast<Attribute>(i), (*known)[i]);
  if (phase_.phase() == 2) plan_sampling();
  if (options.step == StepKind::kTheory)
    theory_eta_ = phase_.phase() == 2 ? variant_.theory_phase2(options, data_draws_, moments_, 0)
                                      : variant_.theory_phase1(options, data_draws_);
  tickets_.resize(data_draws_);
  descents_.resize(inner_draws_);
  draw_order_.reserve(options.budget);
  shrunk_.resize(options.budget);
  changes_.reserve(options.budget);
}

void Gaerr::plan(Random& random, Plan& plan) {
  plan.clear();
  plan.offset = weights_.weight(dimension_) + label_offset();
  draw_order_.clear();

  // All draws are begun before the first is finished: at large d each waits for memory of its own, and so
  // they wait together.
  for (LevelTable::Ticket& ticket : tickets_) ticket = q_.begin_sample(random);
  const double total = p_.total();
  if (total > 0) {
    for (SumTree::Descent& descent : descents_) {
      descent = p_.begin_sample(random);
      weights_.prefetch_coordinate(descent.first_item());
      moments_.prefetch_attribute(static_cast<Attribute>(descent.first_item()));
      moments_.prefetch_attribute(static_cast<Attribute>(descent.first_item() + 3));
    }
  }
  for (std::uint32_t r = 0; r < data_draws_; ++r) {
    const LevelTable::Draw draw = q_.finish_sample(tickets_[r]);
    weights_.prefetch_coordinate(draw.attribute);
    moments_.prefetch_attribute(draw.attribute);
    p_.prefetch_path(draw.attribute);
    plan.data_point.push_back({0, 1 / (data_draws_ * draw.probability)});
    draw_order_.push_back(static_cast<std::uint64_t>(draw.attribute) << 32 | r);
  }
  if (total > 0) {
    const auto weight = [this](std::size_t j) { return inner_weight(j); };
    for (std::uint32_t r = 0; r < inner_draws_; ++r) {
      const auto j = p_.finish_sample(descents_[r], weight);
      const double probability = inner_weight(j) / total;
      plan.inner_product.push_back({0, weights_.weight(j) / (inner_draws_ * probability)});
      draw_order_.push_back(static_cast<std::uint64_t>(j) << 32 | (data_draws_ + r));
    }
  }

  std::sort(draw_order_.begin(), draw_order_.end());
  for (const std::uint64_t key : draw_order_) {
    const auto attribute = static_cast<Attribute>(key >> 32);
    const auto draw = static_cast<std::uint32_t>(key);
    if (plan.attributes.empty() || plan.attributes.back() != attribute) plan.attributes.push_back(attribute);
    const auto position = static_cast<std::uint32_t>(plan.attributes.size() - 1);
    if (draw < data_draws_) {
      plan.data_point[draw].position = position;
    } else {
      plan.inner_product[draw - data_draws_].position = position;
    }
  }
}

Outcome Gaerr::step(const Plan& plan, std::span<const double> values, double label, double importance) {
  weights_.count_iterate();
  reveal_moments(plan, values);
  const double phi = residual(plan, values, label);
  collect_gradient(plan, values, phi * importance);
  eta_ = options().step == StepKind::kAuto     ? next_step_size(plan, values)
         : options().step == StepKind::kNumber ? options().step_number
                                               : theory_eta_;

  const auto moved = [&](std::size_t i, double gradient) {
    const double unit_i = unit(i);
    return unit_i > 0 ? weights_.weight(i) - eta_ * gradient / (unit_i * unit_i) : 0.0;
  };
  const double bias_gradient = phi * importance;
  bool rescaled = false;
  bool in_range = weights_.accepts(moved(dimension_, bias_gradient));
  for (const Change& change : changes_)
    in_range = in_range && weights_.accepts(moved(change.attribute, change.gradient));

  if (in_range) {
    for (const Change& change : changes_) {
      const double unit_i = unit(change.attribute);
      weights_.set(change.attribute, moved(change.attribute, change.gradient), unit_i, unit_i);
    }
    if (options().bias) weights_.set(dimension_, moved(dimension_, bias_gradient), 1, 1);
    if (options().radius) rescaled = weights_.project(*options().radius);
  }
  if (rescaled) {
    rebuild_tree();
  } else {
    p_.update(plan.attributes, [this](std::size_t j) { return inner_weight(j); });
  }
  label_weight_ += importance;
  label_mean_ += (label - label_mean_) * (importance / label_weight_);
  return in_range ? Outcome::kLearned : Outcome::kDiverged;
}

// φ̃ = Σ_r coefficient·x + offset − y, and from its k_p independent terms an unbiased estimate of the squared
// error: the mean of r_a·r_b over pairs a ≠ b, as r_a = k_p·coefficient_a·x_a + offset − y each have the true
// residual as their mean.
double Gaerr::residual(const Plan& plan, std::span<const double> values, double label) {
  const double rest = plan.offset - label;
  double sum = 0;
  double squares = 0;
  for (const Draw& draw : plan.inner_product) {
    const double term = draw.coefficient * shrunk_[draw.position] * values[draw.position];
    sum += term;
    const double single = term * inner_draws_ + rest;
    squares += single * single;
  }
  const double phi = sum + rest;
  const double k = inner_draws_;
  double estimate = phi * phi;
  if (!plan.inner_product.empty()) estimate = k > 1 ? (k * k * phi * phi - squares) / (k * (k - 1)) : NAN;
  if (std::isfinite(estimate)) progressive_loss_.add(estimate);
  return phi;
}

// The moments follow every reveal. Where an attribute's largest value grows by a factor f, its weight is
// divided by f², so that what was learned in too small a unit cannot throw predictions: neither the next
// ones, nor this one, whose coefficients hold the weights of before.
void Gaerr::reveal_moments(const Plan& plan, std::span<const double> values) {
  for (std::size_t a = 0; a < plan.attributes.size(); ++a) {
    const Attribute i = plan.attributes[a];
    const double before = unit(i);
    moments_.update(i, values[a]);
    const double now = unit(i);
    const double shrink = now == before ? 1 : before / now;
    shrunk_[a] = shrink * shrink;
    if (now != before && weights_.unscaled(i) != 0)
      weights_.set(i, weights_.weight(i) * shrunk_[a], before, now);
  }
}

void Gaerr::collect_gradient(const Plan& plan, std::span<const double> values, double residual) {
  changes_.clear();
  draw_order_.clear();
  for (std::uint32_t r = 0; r < plan.data_point.size(); ++r)
    draw_order_.push_back(static_cast<std::uint64_t>(plan.data_point[r].position) << 32 | r);
  std::sort(draw_order_.begin(), draw_order_.end());
  for (const std::uint64_t key : draw_order_) {
    const Draw& draw = plan.data_point[static_cast<std::uint32_t>(key)];
    const Attribute attribute = plan.attributes[draw.position];
    const double gradient = residual * (draw.coefficient * values[draw.position]);
    if (!changes_.empty() && changes_.back().attribute == attribute) {
      changes_.back().gradient += gradient;
    } else {
      changes_.push_back({attribute, gradient});
    }
  }
}

double Gaerr::next_step_size(const Plan& plan, std::span<const double> values) {
  double estimate_square =
      options().bias ? 1 : 0;              // ‖x̃‖²: draws of the same attribute add up before squaring
  double square = options().bias ? 1 : 0;  // (1/k_x)Σ x²/q
  std::uint32_t open = ~0U;
  double part = 0;
  for (const std::uint64_t key : draw_order_) {  // in the order collect_gradient() left: by attribute
    const Draw& draw = plan.data_point[static_cast<std::uint32_t>(key)];
    const double unit_i = unit(plan.attributes[draw.position]);
    if (unit_i == 0) continue;
    const double x = values[draw.position] / unit_i;
    square += draw.coefficient * x * x;
    if (draw.position != open) {
      estimate_square += part * part;
      part = 0;
      open = draw.position;
    }
    part += draw.coefficient * x;
  }
  estimate_square += part * part;
  return auto_step_.next(estimate_square, square, inner_draws_);
}

void Gaerr::after_example() {
  const std::uint64_t n = counts().examples;
  switch (phase_.after(n)) {
    case PhaseControl::Action::kNone:
      return;
    case PhaseControl::Action::kReplan:
      plan_sampling();
      return;
    case PhaseControl::Action::kConsider: {
      const MomentWeights weights(moments_, normalised(), epsilon());
      const double planned = weights.variance_bound();
      if (!PhaseControl::gain_is_certain(planned, weights.uniform_variance())) return;
      phase_.switch_now(n, planned, weights.uniform_variance());
      begin_phase2();
      return;
    }
    case PhaseControl::Action::kSwitch: {
      phase_.switch_now(n, 0, 0);
      begin_phase2();
      return;
    }
  }
}

// Phase 2 starts from phase 1's result, with its own average and step (KS15 §5).
void Gaerr::begin_phase2() {
  weights_.restart_from_average([this](std::size_t i) { return unit(i); });
  auto_step_.begin_phase();
  plan_sampling();
  if (options().step == StepKind::kTheory)
    theory_eta_ = variant_.theory_phase2(options(), data_draws_, moments_, phase_.switched_at());
  rebuild_tree();
}

double Gaerr::epsilon() const {
  if (options().confidence) return *options().confidence;
  if (phase_.rule() == PhaseControl::Rule::kKnown) return 0;
  const std::uint64_t m1 = phase_.phase() == 2 ? phase_.switched_at() : counts().examples;
  return theory::confidence(static_cast<double>(dimension_), static_cast<double>(options().budget),
                            options().delta, static_cast<double>(m1));
}

void Gaerr::plan_sampling() { q_.plan(MomentWeights(moments_, normalised(), epsilon())); }

void Gaerr::rebuild_tree() {
  p_.rebuild([this](std::size_t j) { return inner_weight(j); });
}

double Gaerr::predict(std::span<const Entry> entries) const {
  double sum = label_offset() + weights_.averaged(dimension_);
  for (const Entry& entry : entries)
    sum += weights_.averaged(entry.attribute) *
           (std::isnan(entry.value) ? moments_[entry.attribute].mean : entry.value);
  return sum;
}

void Gaerr::model(Model& model) const {
  model.weights.resize(dimension_);
  for (std::size_t i = 0; i < dimension_; ++i) model.weights[i] = weights_.averaged(i);
  model.bias = weights_.averaged(dimension_) + label_offset();
}

SamplingRow Gaerr::sampling_row(Attribute attribute) const {
  return {moments_[attribute], q_.probability(attribute)};
}

std::size_t Gaerr::memory_bytes() const {
  return weights_.memory_bytes() + moments_.memory_bytes() + q_.memory_bytes() + p_.memory_bytes();
}

void Gaerr::save_state(State& state) const {
  weights_.save(state);
  moments_.save(state);
  q_.save(state);
  phase_.save(state);
  auto_step_.save(state);
  const double scalars[] = {theory_eta_, eta_, label_mean_, label_weight_};
  state.put_copy<double>("gaerr.scalars", scalars);
}

Status Gaerr::restore_state(const State& state) {
  if (const Status status = weights_.restore(state); !status) return status;
  if (const Status status = moments_.restore(state); !status) return status;
  if (const Status status = q_.restore(state); !status) return status;
  if (const Status status = phase_.restore(state); !status) return status;
  if (const Status status = auto_step_.restore(state); !status) return status;
  const auto scalars = state.get<double>("gaerr.scalars", 4);
  if (!scalars) return scalars.error();
  theory_eta_ = (*scalars)[0];
  eta_ = (*scalars)[1];
  label_mean_ = (*scalars)[2];
  label_weight_ = (*scalars)[3];
  rebuild_tree();
  return {};
}

}  // namespace glimpse
