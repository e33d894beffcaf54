#include "learn/gradient_learner.h"

#include <algorithm>
#include <cmath>

#include "learn/exponentiated_weights.h"
#include "learn/lazy_weights.h"
#include "learn/pair_residual.h"

namespace glimpse {

namespace {
std::uint32_t data_draws(const LearnerOptions& options, bool full_information) {
  if (full_information) return static_cast<std::uint32_t>(options.dimension);
  const auto k = static_cast<std::uint32_t>(options.budget);
  return options.split == Split::kEven ? k / 2 : k - 1;
}
}  // namespace

template <class Weights>
GradientLearner<Weights>::GradientLearner(const LearnerOptions& options, const Variant& variant,
                                          const SecondMoments* known)
    : Learner(options),
      dimension_(options.dimension),
      coordinates_(options.dimension + (options.bias ? 1 : 0)),
      data_draws_(data_draws(options, variant.full_information)),
      inner_draws_(variant.full_information ? data_draws_
                                            : static_cast<std::uint32_t>(options.budget) - data_draws_),
      variant_(variant),
      weights_(coordinates_, radius_of_phase1(options)),
      moments_(options.dimension),
      q_(options.dimension),
      p_(options.dimension),
      phase_(variant.rule, phase1_length(options), options.dimension, options.budget) {
  if (known != nullptr)
    for (std::size_t i = 0; i < dimension_; ++i) moments_.set(static_cast<Attribute>(i), (*known)[i]);
  largest_ratio_ = static_cast<double>(variant.full_information ? 1 : dimension_);
  if (phase_.phase() == 2) plan_sampling();
  if (options.step == StepKind::kAdaGrad) squares_ = LargeArray<double>(coordinates_);
  if (options.step == StepKind::kTheory)
    theory_eta_ = phase_.phase() == 2 ? variant_.theory_phase2(options, data_draws_, moments_, 0)
                                      : variant_.theory_phase1(options, data_draws_);
  const std::size_t most = variant.full_information ? dimension_ : options.budget;
  tickets_.resize(data_draws_);
  descents_.resize(inner_draws_);
  draw_order_.reserve(most);
  shrunk_.resize(most);
  changes_.reserve(most + 1);
}

template <class Weights>
void GradientLearner<Weights>::plan(Random& random, Plan& plan) {
  builder_.begin(plan);
  plan.offset = bias() + label_offset();
  if (variant_.full_information) return plan_everything(plan);

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
    builder_.add_data_point(draw.attribute, 1 / (data_draws_ * draw.probability));
  }
  if (total > 0) {
    const auto weight = [this](std::size_t j) { return inner_weight(j); };
    for (std::uint32_t r = 0; r < inner_draws_; ++r) {
      const auto j = p_.finish_sample(descents_[r], weight);
      const double probability = inner_weight(j) / total;
      builder_.add_inner_product(static_cast<Attribute>(j),
                                 weights_.weight(j, unit(j)) / (inner_draws_ * probability));
    }
  }
  builder_.finish();
}

template <class Weights>
void GradientLearner<Weights>::plan_everything(Plan& plan) {
  for (std::uint32_t i = 0; i < dimension_; ++i) {
    plan.attributes.push_back(i);
    plan.data_point.push_back({i, 1});
    plan.inner_product.push_back({i, weights_.weight(i, unit(i))});
  }
}

template <class Weights>
Outcome GradientLearner<Weights>::step(const Plan& plan, std::span<const double> values, double label,
                                       double importance) {
  weights_.count_iterate();
  reveal_moments(plan, values);
  const double phi = residual(plan, values, label);
  collect_gradient(plan, values, phi * importance);
  switch (options().step) {
    case StepKind::kAuto:
      eta_ = auto_step_.next(step_facts(plan, values, phi));
      break;
    case StepKind::kTheory:
      eta_ = theory_eta_;
      break;
    case StepKind::kNumber:
    case StepKind::kAdaGrad:
      eta_ =
          phase_.phase() == 1 ? options().phase1_step.value_or(options().step_number) : options().step_number;
      break;
  }

  if (options().bias) changes_.push_back({static_cast<Attribute>(dimension_), phi * importance, 0});
  const bool adagrad = options().step == StepKind::kAdaGrad;
  bool in_range = true;
  for (Change& change : changes_) {
    change.amount = rate(change.attribute, change.gradient) * change.gradient;
    in_range = in_range && weights_.accepts_step(change.attribute, change.amount, unit(change.attribute));
  }
  bool all_changed = false;
  if (in_range) {
    for (const Change& change : changes_) {
      weights_.step(change.attribute, change.amount, unit(change.attribute));
      if (adagrad) squares_[change.attribute] = squares_with(change.attribute, change.gradient);
    }
    all_changed = weights_.end_step();
  }
  if (all_changed) {
    rebuild_tree();
  } else if (!variant_.full_information) {
    p_.update(plan.attributes, [this](std::size_t j) { return inner_weight(j); });
  }
  label_weight_ += importance;
  label_mean_ += (label - label_mean_) * (importance / label_weight_);
  return in_range ? Outcome::kLearned : Outcome::kDiverged;
}

template <class Weights>
double GradientLearner<Weights>::residual(const Plan& plan, std::span<const double> values, double label) {
  PairResidual residual = pair_residual(plan, values, label, inner_draws_,
                                        [this](std::uint32_t position) { return shrunk_[position]; });
  if (variant_.full_information) residual.squared_error = residual.phi * residual.phi;
  count_loss(residual.squared_error);
  return residual.phi;
}

// The moments follow every reveal. Where an attribute's largest value grows by a factor f, its weight is
// divided by f², so that what was learned in too small a unit cannot throw predictions: neither the next
// ones, nor this one, whose coefficients hold the weights of before.
template <class Weights>
void GradientLearner<Weights>::reveal_moments(const Plan& plan, std::span<const double> values) {
  for (std::size_t a = 0; a < plan.attributes.size(); ++a) {
    const Attribute i = plan.attributes[a];
    const double before = unit(i);
    moments_.update(i, values[a]);
    const double now = unit(i);
    const double shrink = now == before ? 1 : before / now;
    shrunk_[a] = shrink * shrink;
    if (now != before) weights_.change_unit(i, before, now);
  }
}

template <class Weights>
void GradientLearner<Weights>::collect_gradient(const Plan& plan, std::span<const double> values,
                                                double residual) {
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
      changes_.push_back({attribute, gradient, 0});
    }
  }
}

// AdaGrad (Duchi, Hazan & Singer 2011; KS14, appendix A): η_i = η/√Σ g̃_i².
template <class Weights>
double GradientLearner<Weights>::rate(std::size_t i, double gradient) const {
  if (options().step != StepKind::kAdaGrad) return eta_;
  const double squares = squares_with(i, gradient);
  if (!std::isfinite(squares)) return NAN;
  return squares > 0 ? eta_ / std::sqrt(squares) : 0;
}

template <class Weights>
StepFacts GradientLearner<Weights>::step_facts(const Plan& plan, std::span<const double> values,
                                               double residual) const {
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
  return {estimate_square,
          square,
          variant_.full_information ? 0.0 : inner_draws_,
          residual,
          largest_ratio_ / (variant_.full_information ? 1 : data_draws_) + 1,
          coordinates_};
}

template <class Weights>
void GradientLearner<Weights>::after_example() {
  const std::uint64_t n = steps();
  switch (phase_.after(n)) {
    case PhaseControl::Action::kNone:
      return;
    case PhaseControl::Action::kReplan:
      plan_sampling();
      return;
    case PhaseControl::Action::kConsider: {
      const MomentWeights weights(moments_, normalised(), epsilon(), Weights::kMomentPower);
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
template <class Weights>
void GradientLearner<Weights>::begin_phase2() {
  weights_.restart_from_average(options().radius, [this](std::size_t i) { return unit(i); });
  auto_step_.begin_phase();
  for (double& square : squares_) square = 0;
  plan_sampling();
  if (options().step == StepKind::kTheory)
    theory_eta_ = variant_.theory_phase2(options(), data_draws_, moments_, phase_.switched_at());
  rebuild_tree();
}

template <class Weights>
double GradientLearner<Weights>::epsilon() const {
  if (options().confidence) return *options().confidence;
  if (phase_.rule() == PhaseControl::Rule::kKnown) return 0;
  const std::uint64_t m1 = phase_.phase() == 2 ? phase_.switched_at() : steps();
  const auto confidence =
      Weights::kMomentPower == MomentPower::kFirst ? theory::lasso_confidence : theory::confidence;
  return confidence(static_cast<double>(dimension_), static_cast<double>(options().budget), options().delta,
                    static_cast<double>(m1));
}

template <class Weights>
void GradientLearner<Weights>::plan_sampling() {
  const MomentWeights weights(moments_, normalised(), epsilon(), Weights::kMomentPower);
  q_.plan(weights);
  if (options().step == StepKind::kAuto) largest_ratio_ = weights.largest_ratio();
}

template <class Weights>
void GradientLearner<Weights>::rebuild_tree() {
  p_.rebuild([this](std::size_t j) { return inner_weight(j); });
}

template <class Weights>
double GradientLearner<Weights>::predict(std::span<const Entry> entries) const {
  double sum = label_offset() + averaged_bias();
  for (const Entry& entry : entries)
    sum += weights_.averaged(entry.attribute, unit(entry.attribute)) *
           (std::isnan(entry.value) ? moments_[entry.attribute].mean : entry.value);
  return sum;
}

template <class Weights>
void GradientLearner<Weights>::model(Model& model) const {
  model.weights.resize(dimension_);
  for (std::size_t i = 0; i < dimension_; ++i) model.weights[i] = weights_.averaged(i, unit(i));
  model.bias = averaged_bias() + label_offset();
}

template <class Weights>
SamplingRow GradientLearner<Weights>::sampling_row(Attribute attribute) const {
  return {moments_[attribute], q_.probability(attribute)};
}

template <class Weights>
std::size_t GradientLearner<Weights>::memory_bytes() const {
  return squares_.size() * sizeof(double) + weights_.memory_bytes() + moments_.memory_bytes() +
         q_.memory_bytes() + p_.memory_bytes();
}

template <class Weights>
void GradientLearner<Weights>::save_state(State& state) const {
  weights_.save(state);
  moments_.save(state);
  q_.save(state);
  phase_.save(state);
  auto_step_.save(state);
  const double scalars[] = {theory_eta_, eta_, label_mean_, label_weight_, largest_ratio_};
  state.put_copy<double>("gradient.scalars", scalars);
  if (!squares_.empty()) state.put_copy<double>("gradient.squares", squares_);
}

template <class Weights>
Status GradientLearner<Weights>::restore_state(const State& state) {
  if (const Status status = weights_.restore(state); !status) return status;
  if (const Status status = moments_.restore(state); !status) return status;
  if (const Status status = q_.restore(state); !status) return status;
  if (const Status status = phase_.restore(state); !status) return status;
  if (phase_.phase() == 2) weights_.set_radius(options().radius);
  if (const Status status = auto_step_.restore(state); !status) return status;
  const auto scalars = state.get<double>("gradient.scalars", 5);
  if (!scalars) return scalars.error();
  theory_eta_ = (*scalars)[0];
  eta_ = (*scalars)[1];
  label_mean_ = (*scalars)[2];
  label_weight_ = (*scalars)[3];
  largest_ratio_ = (*scalars)[4];
  if (!squares_.empty()) {
    const auto squares = state.get<double>("gradient.squares", squares_.size());
    if (!squares) return squares.error();
    for (std::size_t i = 0; i < squares_.size(); ++i) squares_[i] = (*squares)[i];
  }
  rebuild_tree();
  return {};
}

template class GradientLearner<LazyWeights>;
template class GradientLearner<ExponentiatedWeights>;

}  // namespace glimpse
