#include "learn/css10/aer.h"

#include <algorithm>
#include <cmath>

#include "learn/evaluation/residuals.h"

namespace glimpse {

namespace {
std::uint32_t data_draws(const LearnerOptions& options) {
  const auto k = static_cast<std::uint32_t>(options.budget);
  return options.split == Split::kEven ? k / 2 : k - 1;
}

double first_step(const LearnerOptions& options) {
  if (options.step == StepKind::kNumber) return options.step_number;
  return 2 / Aer::theory_lambda(static_cast<double>(options.dimension), static_cast<double>(options.budget),
                                *options.radius, static_cast<double>(*options.horizon));
}
}  // namespace

Aer::Aer(const LearnerOptions& options)
    : Learner(options),
      dimension_(options.dimension),
      data_draws_(data_draws(options)),
      inner_draws_(static_cast<std::uint32_t>(options.budget) - data_draws_),
      first_step_(first_step(options)),
      weights_(options.dimension, *options.radius),
      moments_(options.dimension),
      subset_(data_draws_) {}

double Aer::theory_lambda(double dimension, double budget, double radius, double m) {
  const double l2_bound = radius;  // B₂
  m = std::fmax(m, 2);
  return (radius + 1) * dimension / l2_bound * std::sqrt(std::log(m) / (m * budget));
}

void Aer::begin_plan(Random& random, Plan& plan) {
  plan.clear();
  subset_.draw(dimension_, random, [&](Attribute j) {
    plan.attributes.push_back(j);
    weights_.prefetch_coordinate(j);
    moments_.prefetch_attribute(j);
  });
}

void Aer::finish_plan(Random& random, Plan& plan) {
  chosen_.assign(plan.attributes.begin(), plan.attributes.end());
  builder_.begin(plan);
  plan.offset = weights_.weight(dimension_);
  plan.generation = generation_;
  const double coefficient = static_cast<double>(dimension_) / data_draws_;
  for (const Attribute j : chosen_) builder_.add_data_point(j, coefficient);
  const double norm = weights_.sampled_norm();
  if (norm > 0)
    for (std::uint32_t r = 0; r < inner_draws_; ++r) {
      const Attribute i = weights_.sample(random);
      moments_.prefetch_attribute(i);
      builder_.add_inner_product(i, std::copysign(norm / inner_draws_, weights_.weight(i)));
    }
  builder_.finish();
}

// As GradientLearner's: the weights that the plan was made with were forgotten.
const Plan& Aer::renewed(const Plan& plan) {
  renewed_ = plan;
  renewed_.inner_product.clear();
  for (const Draw& draw : plan.data_point)
    renewed_.inner_product.push_back(
        {draw.position, draw.coefficient * weights_.weight(plan.attributes[draw.position])});
  renewed_.offset = weights_.weight(dimension_);
  renewed_.generation = generation_;
  return renewed_;
}

Outcome Aer::step(const Plan& plan, std::span<const double> values, double label, double importance) {
  if (plan.generation != generation_) return step(renewed(plan), values, label, importance);
  const PairResidual residual =
      pair_residual(plan, values, label - origin_, inner_draws_, [](std::uint32_t) { return 1.0; });
  count_loss(residual.squared_error);
  for (std::size_t a = 0; a < plan.attributes.size(); ++a) moments_.update(plan.attributes[a], values[a]);

  const double factor = -first_step_ * residual.phi * importance;
  changes_.clear();
  for (const Draw& draw : plan.data_point)
    changes_.push_back({plan.attributes[draw.position], factor * (draw.coefficient * values[draw.position])});
  std::sort(changes_.begin(), changes_.end(),
            [](const auto& a, const auto& b) { return a.attribute < b.attribute; });
  if (!weights_.step(changes_, options().bias ? factor : 0)) return Outcome::kDiverged;
  eta_ = first_step_ / static_cast<double>(weights_.steps());
  return Outcome::kLearned;
}

double Aer::predict(std::span<const Entry> entries) const {
  if (waits_for_origin()) return label_spread().mean();
  double sum = origin_ + weights_.averaged(dimension_);
  for (const Entry& entry : entries)
    sum += weights_.averaged(entry.attribute) *
           (std::isnan(entry.value) ? moments_[entry.attribute].mean : entry.value);
  return finite(sum);
}

void Aer::model(Model& model) const {
  if (waits_for_origin()) return model_of_mean(model);
  model.weights.resize(dimension_);
  for (std::size_t i = 0; i < dimension_; ++i) model.weights[i] = weights_.averaged(i);
  model.bias = origin_ + weights_.averaged(dimension_);
}

LearnerReport Aer::describe() const {
  LearnerReport report;
  report.phase_reason =
      "this algorithm has one phase: its data-point draws are uniform, those of the inner product go by the "
      "weights";
  report.looks = {
      .ratio = 1, .effective = static_cast<double>(dimension_), .possible = static_cast<double>(dimension_)};
  report.step_size = eta_;
  report.origin = all_examples();
  report.memory_bytes = weights_.memory_bytes() + moments_.memory_bytes();
  return report;
}

SamplingRow Aer::sampling_row(Attribute attribute) const {
  return {moments_[attribute], 1 / static_cast<double>(dimension_)};
}

void Aer::forget_everything() {
  weights_ = decltype(weights_)(options().dimension, *options().radius);
  moments_ = SecondMoments(dimension_);
  ++generation_;
  restart_steps();
}

void Aer::save_state(State& state) const {
  weights_.save(state);
  moments_.save(state);
  state.put_number("aer.eta", eta_);
  if (origin_ != 0) state.put_number("aer.origin", origin_);
  if (generation_ > 0) state.put_number("aer.generation", std::uint64_t{generation_});
}

Status Aer::restore_state(const State& state) {
  GLIMPSE_TRY(weights_.restore(state));
  GLIMPSE_TRY(moments_.restore(state));
  GLIMPSE_TRY_ASSIGN(const auto eta, state.get_number<double>("aer.eta"));
  GLIMPSE_TRY_ASSIGN(const auto generation, state.get_number<std::uint64_t>("aer.generation", 0));
  generation_ = static_cast<std::uint32_t>(generation);
  eta_ = eta;
  GLIMPSE_TRY_ASSIGN(origin_, state.get_number<double>("aer.origin", 0));
  return {};
}

}  // namespace glimpse
