#include "learn/solver/class_solve.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "learn/classes/discriminants.h"
#include "learn/importance/attribute_importance.h"

namespace glimpse {

namespace {

// kLabelClass last; of two classes one alone, which tells the other.
std::vector<std::size_t> order_of(std::size_t classes) {
  std::vector<std::size_t> order;
  for (std::size_t c = 0; c < classes && classes > 2; ++c)
    if (c != kLabelClass) order.push_back(c);
  order.push_back(kLabelClass);
  return order;
}

Model complement(const Model& model) {
  Model other;
  other.bias = 1 - model.bias;
  other.weights.resize(model.weights.size());
  std::ranges::transform(model.weights, other.weights.begin(), std::negate<>());
  return other;
}

// Where there is no attribute to solve for.
SolvedClasses shares_alone(const PairSnapshot& moments) {
  SolvedClasses solved;
  solved.indicators.resize(moments.targets());
  for (std::size_t c = 0; c < moments.targets(); ++c) solved.indicators[c].bias = moments.target_centre(c);
  solved.scores = class_priors(class_counts(moments));
  return solved;
}

}  // namespace

std::vector<double> class_counts(const PairSnapshot& moments) {
  std::vector<double> counts(moments.targets());
  for (std::size_t c = 0; c < counts.size(); ++c) counts[c] = moments.target(c).sum;
  return counts;
}

std::vector<Model> indicators_of(const PastModel& model, std::size_t slots) {
  std::vector<Model> indicators;
  for (const auto& indicator : model.indicators) indicators.push_back(indicator->model());
  if (indicators.empty()) indicators = {complement(model.model()), model.model()};
  for (Model& indicator : indicators) indicator.weights.resize(slots);
  return indicators;
}

std::shared_ptr<const ClassModel> served_classes(const ServedModel& served, const PairSnapshot& moments) {
  if (served.earlier && served.earlier->scores) return served.earlier->scores;
  return std::make_shared<ClassModel>(class_priors(class_counts(moments)));
}

SolvedClasses solve_classes(const PairSnapshot& moments, const std::optional<NormBall>& ball,
                            PairwiseSolver& solver, const PairwiseSolver::Cancelled& cancelled,
                            std::size_t steps, bool importances) {
  const std::size_t classes = moments.targets();
  const std::size_t d = moments.dimension();
  if (d == 0) return shares_alone(moments);
  SolvedClasses solved;
  solved.indicators.resize(classes);
  ClassTargets targets;
  targets.counts = class_counts(moments);
  targets.weights.resize(classes * d);
  targets.covariances.resize(classes * d);
  for (std::size_t i = 0; i < d; ++i) targets.centres.push_back(moments.centre(i));
  ClassImportances summed;
  const auto keep = [&](std::size_t c, double sign) {
    const auto at = static_cast<std::ptrdiff_t>(c * d);
    std::ranges::copy(solved.indicators[c].weights, targets.weights.begin() + at);
    for (std::size_t i = 0; i < d; ++i) targets.covariances[c * d + i] = sign * solver.target_covariance(i);
  };
  solver.begin_targets(moments, ball.has_value());
  for (const std::size_t c : order_of(classes)) {
    solver.solve_target(moments, c, ball, solved.indicators[c], cancelled, steps);
    if (cancelled && cancelled()) return solved;
    const double noise =
        solver.in_sample() * (1 + static_cast<double>(classes - 1) / solver.in_sample_degrees());
    if (noise >= targets.in_sample) {
      targets.in_sample = noise;
      solved.moments.leverages.assign(solver.leverages().begin(), solver.leverages().end());
    }
    keep(c, 1);
    if (importances && classes > 2)
      summed.add(solver.importances(moments, solved.indicators[c]), moments.target(c).variance());
  }
  solved.importances = summed.together();
  if (classes == 2) {
    solved.indicators[0] = complement(solved.indicators[1]);
    keep(0, -1);
  }
  solved.scores = discriminants(targets);
  solved.moments.counts = std::move(targets.counts);
  solved.moments.covariances = std::move(targets.covariances);
  return solved;
}

void describe_classes(const PairSnapshot& moments, const PairwiseSolver& solver, const Model& model,
                      std::span<const Model> indicators, TargetMoments& description, ClassMoments& known) {
  solver.describe(moments, model, description, indicators, known.targets);
  known.totals.clear();
  const double* target = known.targets.data();
  for (const Model& indicator : indicators) {
    double total = 0;
    for (const double weight : indicator.weights) total += weight * *target++;
    known.totals.push_back(std::max(total, 0.0));
  }
}

SolvedClasses spread_out(const SolvedClasses& solved, std::span<const std::uint32_t> places,
                         std::size_t room) {
  SolvedClasses all;
  for (const Model& model : solved.indicators) {
    Model& spread = all.indicators.emplace_back();
    spread.bias = model.bias;
    spread.weights.assign(room, 0.0);
    for (std::size_t s = 0; s < places.size(); ++s) spread.weights[places[s]] = model.weights[s];
  }
  const std::size_t classes = solved.scores.classes();
  all.scores = solved.scores;
  all.scores.weights.assign(room * classes, 0.0);
  for (std::size_t s = 0; s < places.size(); ++s)
    std::ranges::copy(solved.scores.weights_of(s),
                      all.scores.weights.begin() + static_cast<std::ptrdiff_t>(places[s] * classes));
  return all;
}

}  // namespace glimpse
