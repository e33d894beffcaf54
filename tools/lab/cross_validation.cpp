#include "lab/cross_validation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "lab/evaluation.h"
#include "lab/normal_equations.h"
#include "lab/offline_lasso.h"
#include "lab/offline_ridge.h"
#include "lab/parallel.h"

namespace glimpse {

namespace {

struct Fold {
  RowOrder train;
  RowOrder held_out;
};

std::vector<Fold> make_folds(std::span<const std::uint32_t> rows, std::size_t count) {
  std::vector<Fold> folds(count);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t f = 0; f < count; ++f)
      (i % count == f ? folds[f].held_out : folds[f].train).push_back(rows[i]);
  return folds;
}

double mean(const std::vector<double>& losses) {
  double sum = 0;
  for (const double loss : losses) sum += loss;
  return sum / static_cast<double>(losses.size());
}

// A point of the grid: indices into lists of values, or exponents of two.
struct Point {
  int radius;
  int step;
  auto operator<=>(const Point&) const = default;
};

// Held-out losses of a learner, each computed once.
class LearnerLosses {
 public:
  LearnerLosses(const Method& method, const TuningOptions& options, const DenseSet& train,
                std::vector<Fold> folds, std::uint64_t seed, std::size_t threads)
      : method_(method),
        options_(options),
        train_(train),
        folds_(std::move(folds)),
        seed_(seed),
        threads_(threads) {}

  double radius(const Point& point) const { return value(options_.radii, point.radius); }
  double step(const Point& point) const { return value(options_.steps, point.step); }
  std::string step_text(const Point& point) const {
    if (!has_step(method_.learner.algorithm)) return {};
    return fmt::format("{}{}", options_.step_prefix, step(point));
  }

  // Computes what is not known of these points, on all threads.
  Status compute(const std::vector<Point>& points) {
    std::vector<Point> missing;
    for (const Point& point : points)
      if (!known_.contains(point)) missing.push_back(point);
    const std::size_t runs = folds_.size() * options_.repeats;
    std::vector<std::vector<double>> losses(missing.size(), std::vector<double>(runs));
    const Status status = parallel_for(missing.size() * runs, threads_, [&](std::size_t i) {
      return one(missing[i / runs], i % runs, losses[i / runs][i % runs]);
    });
    if (!status) return status;
    for (std::size_t i = 0; i < missing.size(); ++i) known_[missing[i]] = mean(losses[i]);
    return {};
  }

  std::pair<Point, double> best() const {
    auto best = known_.begin();
    for (auto it = known_.begin(); it != known_.end(); ++it)
      if (it->second < best->second) best = it;
    return *best;
  }

 private:
  static double value(const std::vector<double>& given, int index) {
    return given.empty() ? std::ldexp(1.0, index) : given[static_cast<std::size_t>(index)];
  }

  // Folds share most of their rows; draws of their own keep one unlucky beginning out of the others.
  Status one(const Point& point, std::size_t run, double& loss) const {
    const Fold& fold = folds_[run % folds_.size()];
    const std::uint64_t draws = Random(seed_ + run).bits();
    const auto method = with_choice(method_, {radius(point), step_text(point), {}, {}, 0});
    if (!method) return method.error();
    const std::size_t all = fold.train.size();
    return run_method(*method, train_, fold.train, std::span(&all, 1), draws, [&](const Snapshot& snapshot) {
      loss = evaluate(snapshot.model, train_, fold.held_out).loss_ratio;
    });
  }

  const Method& method_;
  const TuningOptions& options_;
  const DenseSet& train_;
  const std::vector<Fold> folds_;
  const std::uint64_t seed_;
  const std::size_t threads_;
  std::map<Point, double> known_;
};

std::vector<int> coarse_axis(const std::vector<double>& given, int lowest, int highest) {
  std::vector<int> axis;
  if (given.empty()) {
    for (int e = lowest; e <= highest; e += 2) axis.push_back(e);
  } else {
    for (std::size_t i = 0; i < given.size(); ++i) axis.push_back(static_cast<int>(i));
  }
  return axis;
}

Result<Tuned> tune_learner(LearnerLosses& losses, const TuningOptions& options) {
  constexpr int kLargestExponent = 40;
  std::vector<Point> points;
  for (const int radius : coarse_axis(options.radii, -1, 7))
    for (const int step : coarse_axis(options.steps, -15, 3)) points.push_back({radius, step});
  if (const Status status = losses.compute(points); !status) return status.error();

  const int free_radius = options.radii.empty() ? 1 : 0;
  const int free_step = options.steps.empty() ? 1 : 0;
  auto best = losses.best();
  while (free_radius + free_step > 0 &&
         std::abs(best.first.radius) + std::abs(best.first.step) < kLargestExponent) {
    points.clear();
    for (int r = -free_radius; r <= free_radius; ++r)
      for (int s = -free_step; s <= free_step; ++s)
        points.push_back({best.first.radius + r, best.first.step + s});
    if (const Status status = losses.compute(points); !status) return status.error();
    const auto now = losses.best();
    if (now.first == best.first) break;
    best = now;
  }
  return Tuned{losses.radius(best.first), losses.step_text(best.first), {}, {}, best.second};
}

// The equations of a fold's training rows are those of all rows less those held out.
NormalEquations without(const NormalEquations& all, double n, const NormalEquations& part, double held_out) {
  const double rest = n - held_out;
  return {(all.a * n - part.a * held_out) / rest, (all.b * n - part.b * held_out) / rest,
          (all.c * n - part.c * held_out) / rest};
}

Result<Tuned> tune_offline(const Method& method, const std::vector<double>& given, const DenseSet& train,
                           std::span<const std::uint32_t> rows, const std::vector<Fold>& folds,
                           std::size_t threads) {
  std::vector<double> radii = given;
  if (radii.empty())
    for (int e = -6; e <= 12; ++e) radii.push_back(std::ldexp(1.0, e));
  std::sort(radii.begin(), radii.end());
  const bool bias = method.learner.bias;
  const NormalEquations all = normal_equations(train, rows, bias);
  std::vector<std::vector<double>> losses(radii.size(), std::vector<double>(folds.size()));
  const Status status = parallel_for(folds.size(), threads, [&](std::size_t f) -> Status {
    const Fold& fold = folds[f];
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
    for (std::size_t r = 0; r < radii.size(); ++r)
      losses[r][f] = part.c > 0 ? 2 * objective(part, solutions[r]) / part.c : 0;
    return {};
  });
  if (!status) return status.error();
  std::size_t best = 0;
  for (std::size_t r = 1; r < radii.size(); ++r)
    if (mean(losses[r]) < mean(losses[best])) best = r;
  return Tuned{radii[best], "", {}, {}, mean(losses[best])};
}

// The choice for one learner, or one phase of it.
Result<Tuned> tune_phase(const Method& method, const TuningOptions& options, const DenseSet& train,
                         std::span<const std::uint32_t> rows, std::uint64_t seed, std::size_t threads) {
  const std::size_t count = std::min(options.folds, rows.size());
  if (count < 2)
    return failure(ErrorCode::kInvalidOption, "--cv {}: needs at least 2 examples and folds, not {} examples",
                   options.folds, rows.size());
  std::vector<Fold> folds = make_folds(rows, count);
  if (is_offline(method.learner.algorithm))
    return tune_offline(method, options.radii, train, rows, folds, threads);
  TuningOptions tried = options;
  if (!has_step(method.learner.algorithm)) tried.steps = {1};
  LearnerLosses losses(method, tried, train, std::move(folds), seed, threads);
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

}  // namespace

Result<Tuned> cross_validate(const Method& method, const TuningOptions& options, const DenseSet& train,
                             std::span<const std::uint32_t> rows, std::uint64_t seed, std::size_t threads) {
  Method all = method;
  const std::size_t phase1 = rows_of_phase1(method, rows.size());
  if (phase1 >= 2) {
    Method uniform = method;
    uniform.learner.algorithm = has_l1_ball(method.learner.algorithm) ? "aelr" : "aerr";
    const auto tuned = tune_phase(uniform, options, train, rows.first(phase1), seed, threads);
    if (!tuned) return tuned.error();
    const auto chosen = with_choice(uniform, *tuned);
    if (!chosen) return chosen.error();
    all.learner.phase1_radius = chosen->learner.radius;
    all.learner.phase1_step = chosen->learner.step_number;
  }
  auto tuned = tune_phase(all, options, train, rows, seed, threads);
  if (tuned) {
    tuned->phase1_radius = all.learner.phase1_radius;
    tuned->phase1_step = all.learner.phase1_step;
  }
  return tuned;
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
