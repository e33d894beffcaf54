#include "learn/online_ridge.h"

#include <algorithm>
#include <cmath>

namespace glimpse {

namespace {
constexpr double kLargestWeight = 1e150;
}

OnlineRidge::OnlineRidge(const LearnerOptions& options)
    : Learner(options),
      weights_(options.dimension + 1),
      sums_(options.dimension + 1),
      moments_(options.dimension),
      next_(options.dimension + 1) {}

void OnlineRidge::plan(Random&, Plan& plan) {
  plan.clear();
  const std::size_t d = options().dimension;
  plan.attributes.reserve(d);
  for (std::size_t i = 0; i < d; ++i) plan.attributes.push_back(static_cast<Attribute>(i));
}

Outcome OnlineRidge::step(const Plan& plan, std::span<const double> values, double label, double importance) {
  (void)plan;
  const std::size_t d = options().dimension;
  for (std::size_t i = 0; i <= d; ++i) sums_[i] += weights_[i];
  ++iterates_;

  double square = options().bias ? 1 : 0;
  for (std::size_t i = 0; i < d; ++i) {
    const double before = unit(i);
    moments_.update(static_cast<Attribute>(i), values[i]);
    const double now = unit(i);
    if (now != before) weights_[i] *= before / now * (before / now);
    if (now > 0) square += values[i] / now * (values[i] / now);
  }
  double prediction = weights_[d] + label_offset();
  for (std::size_t i = 0; i < d; ++i) prediction += weights_[i] * values[i];
  const double phi = prediction - label;
  if (std::isfinite(phi * phi)) progressive_loss_.add(phi * phi);
  switch (options().step) {
    case StepKind::kAuto:
      eta_ = auto_step_.next(square, square, 0);
      break;
    case StepKind::kNumber:
      eta_ = options().step_number;
      break;
    case StepKind::kTheory:
      eta_ = 1 / std::sqrt(static_cast<double>(*options().horizon));
      break;
  }

  double norm = 0;
  bool in_range = true;
  for (std::size_t i = 0; i <= d; ++i) {
    const double unit_i = i < d ? unit(i) : 1;
    const double x = i < d ? values[i] : (options().bias ? 1 : 0);
    next_[i] = unit_i > 0 ? weights_[i] - eta_ * importance * phi * x / (unit_i * unit_i) : 0;
    in_range = in_range && std::abs(next_[i]) <= kLargestWeight;
    norm += next_[i] * unit_i * (next_[i] * unit_i);
  }
  label_weight_ += importance;
  label_mean_ += (label - label_mean_) * (importance / label_weight_);
  if (!in_range) return Outcome::kDiverged;
  weights_.swap(next_);
  if (options().radius && norm > *options().radius * *options().radius) {
    const double factor = *options().radius / std::sqrt(norm);
    for (double& w : weights_) w *= factor;
  }
  return Outcome::kLearned;
}

double OnlineRidge::predict(std::span<const Entry> entries) const {
  double sum = averaged(options().dimension) + label_offset();
  for (const Entry& entry : entries)
    sum +=
        averaged(entry.attribute) * (std::isnan(entry.value) ? moments_[entry.attribute].mean : entry.value);
  return sum;
}

void OnlineRidge::model(Model& model) const {
  const std::size_t d = options().dimension;
  model.weights.resize(d);
  for (std::size_t i = 0; i < d; ++i) model.weights[i] = averaged(i);
  model.bias = averaged(d) + label_offset();
}

void OnlineRidge::save_state(State& state) const {
  state.put_copy<double>("weights.w", weights_);
  state.put_copy<double>("weights.sums", sums_);
  moments_.save(state);
  auto_step_.save(state);
  const double scalars[] = {eta_, label_mean_, label_weight_};
  state.put_copy<double>("online_ridge.scalars", scalars);
  state.put_number("online_ridge.iterates", iterates_);
}

Status OnlineRidge::restore_state(const State& state) {
  const auto weights = state.get<double>("weights.w", weights_.size());
  if (!weights) return weights.error();
  const auto sums = state.get<double>("weights.sums", sums_.size());
  if (!sums) return sums.error();
  if (const Status status = moments_.restore(state); !status) return status;
  if (const Status status = auto_step_.restore(state); !status) return status;
  const auto scalars = state.get<double>("online_ridge.scalars", 3);
  if (!scalars) return scalars.error();
  const auto iterates = state.get_number<std::uint64_t>("online_ridge.iterates");
  if (!iterates) return iterates.error();
  std::copy(weights->begin(), weights->end(), weights_.begin());
  std::copy(sums->begin(), sums->end(), sums_.begin());
  eta_ = (*scalars)[0];
  label_mean_ = (*scalars)[1];
  label_weight_ = (*scalars)[2];
  iterates_ = *iterates;
  return {};
}

}  // namespace glimpse
