#include "lab/experiments/cross_validation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lab/experiments/held_out_losses.h"
#include "lab/experiments/parallel.h"
#include "lab/offline/normal_equations.h"
#include "lab/offline/offline_lasso.h"
#include "lab/offline/offline_ridge.h"

namespace glimpse {

namespace {

std::vector<int> coarse_axis(const std::vector<double>& given, int lowest, int highest) {
  std::vector<int> axis;
  if (given.empty()) {
    for (int e = lowest; e <= highest; e += 2) axis.push_back(e);
  } else {
    for (std::size_t i = 0; i < given.size(); ++i) axis.push_back(static_cast<int>(i));
  }
  return axis;
}

std::vector<GridPoint> coarse_grid(const TuningOptions& options) {
  std::vector<GridPoint> points;
  for (const int radius : coarse_axis(options.radii, -1, 7))
    for (const int step : coarse_axis(options.steps, -15, 3)) points.push_back({radius, step});
  return points;
}

Result<Tuned> tune_learner(HeldOutLosses& losses, const TuningOptions& options) {
  constexpr int kLargestExponent = 40;
  std::vector<GridPoint> points = coarse_grid(options);
  if (const Status status = losses.compute(points, true); !status) return status.error();

  const int free_radius = options.radii.empty() ? 1 : 0;
  const int free_step = options.steps.empty() ? 1 : 0;
  auto best = losses.best();
  while (free_radius + free_step > 0 &&
         std::abs(best.first.radius) + std::abs(best.first.step) < kLargestExponent) {
    points.clear();
    for (int r = -free_radius; r <= free_radius; ++r)
      for (int s = -free_step; s <= free_step; ++s)
        points.push_back({best.first.radius + r, best.first.step + s});
    if (const Status status = losses.compute(points, false); !status) return status.error();
    const auto now = losses.best();
    if (now.first == best.first) break;
    best = now;
  }
  return Tuned{losses.radius(best.first), losses.step(best.first), {}, {}, best.second};
}

// The equations of a fold's training rows are those of all rows less those held out.
NormalEquations without(const NormalEquations& all, double n, const NormalEquations& part, double held_out) {
  const double rest = n - held_out;
  return {(all.a * n - part.a * held_out) / rest, (all.b * n - part.b * held_out) / rest,
          (all.c * n - part.c * held_out) / rest};
}

// A fold gives the losses of all radii at once, and so it is folds that are kept.
Result<Tuned> tune_offline(const Method& method, const std::vector<double>& given, const DenseSet& train,
                           std::span<const std::uint32_t> rows, const std::vector<Fold>& folds,
                           std::size_t threads, const TuningRecord& record) {
  std::vector<double> radii = given;
  if (radii.empty())
    for (int e = -6; e <= 12; ++e) radii.push_back(std::ldexp(1.0, e));
  std::sort(radii.begin(), radii.end());
  const bool bias = method.learner.bias;
  const NormalEquations all = normal_equations(train, rows, bias);
  std::vector<std::vector<double>> losses(radii.size(), std::vector<double>(folds.size()));
  const auto take = [&](std::size_t f, const std::vector<double>& of_radii) {
    for (std::size_t r = 0; r < radii.size(); ++r) losses[r][f] = of_radii[r];
  };
  const Status status = parallel_for(folds.size(), threads, [&](std::size_t f) -> Status {
    const Fold& fold = folds[f];
    const std::string name = fmt::format("fold={}", f);
    if (record.kept != nullptr) {
      if (const auto kept = record.kept->find(name, radii.size())) {
        take(f, *kept);
        if (record.progress != nullptr) record.progress->skip();
        return {};
      }
    }
    const NormalEquations part = normal_equations(train, fold.held_out, bias);
    const NormalEquations equations =
        without(all, static_cast<double>(rows.size()), part, static_cast<double>(fold.held_out.size()));
    std::vector<Eigen::VectorXd> solutions;
    if (method.learner.algorithm == "offline-ridge") {
      const OfflineRidge ridge(equations);
      for (const double radius : radii) solutions.push_back(ridge.solve(radius));
    } else {
      auto walked = offline_lasso(equations, radii);
      if (!walked) return walked.error();
      solutions = std::move(*walked);
    }
    std::vector<double> of_radii;
    for (const Eigen::VectorXd& w : solutions)
      of_radii.push_back(part.c > 0 ? 2 * objective(part, w) / part.c : 0);
    take(f, of_radii);
    if (record.progress != nullptr) record.progress->advance();
    return record.kept != nullptr ? record.kept->put(name, of_radii) : Status();
  });
  if (!status) return status.error();
  std::size_t best = 0;
  for (std::size_t r = 1; r < radii.size(); ++r)
    if (mean(losses[r]) < mean(losses[best])) best = r;
  return Tuned{radii[best], "", {}, {}, mean(losses[best])};
}

// An algorithm without a step has one candidate for it, which it does not look at.
TuningOptions options_for(const Method& method, TuningOptions options) {
  if (!has_step(method.learner.algorithm)) options.steps = {1};
  return options;
}

std::size_t coarse_runs_of_phase(const Method& method, const TuningOptions& options, std::size_t rows) {
  const std::size_t folds = std::min(options.folds, rows);
  if (is_offline(method.learner.algorithm)) return folds;
  return coarse_grid(options_for(method, options)).size() * folds * options.repeats;
}

// The choice for one learner, or one phase of it.
Result<Tuned> tune_phase(const Method& method, const TuningOptions& options, const DenseSet& train,
                         std::span<const std::uint32_t> rows, std::uint64_t seed, std::size_t threads,
                         const TuningRecord& record) {
  const std::size_t count = std::min(options.folds, rows.size());
  if (count < 2)
    return failure(ErrorCode::kInvalidOption, "--cv {}: needs at least 2 examples and folds, not {} examples",
                   options.folds, rows.size());
  std::vector<Fold> folds = make_folds(rows, count);
  if (is_offline(method.learner.algorithm))
    return tune_offline(method, options.radii, train, rows, folds, threads, record);
  const TuningOptions tried = options_for(method, options);
  HeldOutLosses losses(method, tried, train, std::move(folds), seed, threads, record);
  auto tuned = tune_learner(losses, tried);
  if (tuned && !std::isfinite(tuned->loss_ratio))
    return failure(ErrorCode::kInvalidOption, "--cv {}: every choice of radius and step diverges",
                   options.folds);
  return tuned;
}

// m₁, where there is a first phase to choose for.
std::size_t rows_of_phase1(const Method& method, std::size_t rows) {
  LearnerOptions options = method.learner;
  if (!has_two_phases(options.algorithm) || options.phase1_radius || options.phase1_step) return 0;
  if (!options.horizon) options.horizon = rows;
  return std::min<std::size_t>(phase1_length(options).value_or(0), rows);
}

// The algorithm of the first phase, by itself on the first m₁ rows. It has no phases: left as it is, a count
// of examples as m₁ would be more than there are in a fold of those rows.
Method method_of_phase1(Method method) {
  method.learner.algorithm = has_l1_ball(method.learner.algorithm) ? "aelr" : "aerr";
  method.learner.phase1_examples.reset();
  method.learner.phase1_fraction.reset();
  return method;
}

}  // namespace

std::size_t coarse_runs(const Method& method, const TuningOptions& options, std::size_t rows) {
  const std::size_t phase1 = rows_of_phase1(method, rows);
  return coarse_runs_of_phase(method, options, rows) +
         (phase1 >= 2 ? coarse_runs_of_phase(method_of_phase1(method), options, phase1) : 0);
}

Result<Tuned> cross_validate(const Method& method, const TuningOptions& options, const DenseSet& train,
                             std::span<const std::uint32_t> rows, std::uint64_t seed, std::size_t threads,
                             const TuningRecord& record) {
  const std::size_t folds = std::max<std::size_t>(std::min(options.folds, rows.size()), 1);
  const std::size_t shortest = rows.size() - (rows.size() + folds - 1) / folds;
  if (method.learner.phase1_examples && *method.learner.phase1_examples >= shortest &&
      has_two_phases(method.learner.algorithm))
    return failure(ErrorCode::kInvalidOption,
                   "--phase1 {}: must be below {}, the number of examples that a fold of --cv {} learns from",
                   *method.learner.phase1_examples, shortest, options.folds);
  Method all = method;
  const std::size_t phase1 = rows_of_phase1(method, rows.size());
  if (phase1 >= 2) {
    const Method uniform = method_of_phase1(method);
    const auto tuned = tune_phase(uniform, options, train, rows.first(phase1), seed, threads, record);
    if (!tuned) return tuned.error();
    const auto chosen = with_choice(uniform, *tuned);
    if (!chosen) return chosen.error();
    all.learner.phase1_radius = chosen->learner.radius;
    all.learner.phase1_step = chosen->learner.step_number;
  }
  auto tuned = tune_phase(all, options, train, rows, seed, threads, record);
  if (tuned) {
    tuned->phase1_radius = all.learner.phase1_radius;
    tuned->phase1_step = all.learner.phase1_step;
  }
  return tuned;
}

Result<Tuned> tune_in_hindsight(const Method& method, const TuningOptions& options, const DenseSet& train,
                                const DenseSet& test, const std::vector<RowOrder>& orders, std::uint64_t seed,
                                std::size_t threads, const TuningRecord& record) {
  DenseSet both = train;
  both.values.insert(both.values.end(), test.values.begin(), test.values.end());
  both.labels.insert(both.labels.end(), test.labels.begin(), test.labels.end());
  RowOrder tests = natural_order(test.size());
  for (std::uint32_t& row : tests) row += static_cast<std::uint32_t>(train.size());
  std::vector<Fold> folds;
  for (const RowOrder& order : orders) folds.push_back({order, tests});
  const TuningOptions tried = options_for(method, options);
  HeldOutLosses losses(method, tried, both, std::move(folds), seed, threads, record);
  return tune_learner(losses, tried);
}

Result<Method> with_choice(Method method, const Tuned& tuned) {
  method.learner.radius = tuned.radius;
  if (tuned.phase1_radius) method.learner.phase1_radius = tuned.phase1_radius;
  if (tuned.phase1_step) method.learner.phase1_step = tuned.phase1_step;
  if (!tuned.step.empty())
    if (const Status status = parse_step(tuned.step, method.learner); !status) return status.error();
  return method;
}

}  // namespace glimpse
