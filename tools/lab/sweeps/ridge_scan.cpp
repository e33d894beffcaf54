#include "lab/sweeps/ridge_scan.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>

#include "lab/experiments/answer_loss.h"
#include "lab/experiments/evaluation.h"
#include "lab/experiments/parallel.h"

namespace glimpse {

namespace {

double mean_label(const DenseSet& set, std::span<const std::uint32_t> rows) {
  double sum = 0;
  for (const std::uint32_t row : rows) sum += set.labels[row];
  return sum / static_cast<double>(rows.size());
}

DenseSet in_reach(const Learner& learner, const DenseSet& set) {
  const AnswerBounds bounds = bounds_of(learner);
  DenseSet result = set;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto row = result.row(i);
    for (std::size_t j = 0; j < row.size(); ++j)
      row[j] = static_cast<float>(bounds.answered(j, static_cast<double>(row[j])));
  }
  return result;
}

}  // namespace

void solve_with_factors(const Pairwise& learner, const std::vector<double>& factors,
                        const std::function<void(const Model&)>& visit) {
  if (factors.empty()) return;
  const auto newest = learner.newest_solution();
  PairSnapshot moments;
  moments.take(learner.moments(), learner.options().bias);
  PairwiseSolver solver;
  Model model;
  for (const double factor : factors) {
    solver.set_trial(factor, true);
    solver.solve(moments, std::nullopt, model);
    if (newest->units) newest->units->outward(model);
    visit(model);
  }
}

Result<std::vector<RidgePoint>> scan_ridge(const RidgeScan& scan, const DataSource& source,
                                           const Execution& execution) {
  Method method;
  method.learner.algorithm = "pairwise";
  method.learner.budget = scan.budget;
  method.learner.bias = true;
  if (const Status status = check(method, source.dimension()); !status) return status.error();
  if (scan.factors.empty()) return failure(ErrorCode::kInvalidOption, "--ridge-factors: names none");
  const auto prefixes = prefixes_of(scan.points, scan.budget, source.training_size());
  if (prefixes.empty())
    return failure(ErrorCode::kInvalidOption,
                   "--prefixes: none is from 1 to {}, the number of training examples",
                   source.training_size());

  std::vector<std::vector<RidgePoint>> runs(scan.seeds);
  Progress progress("running", scan.seeds, execution.quiet);
  const Status status = parallel_for(scan.seeds, execution.threads, [&](std::size_t s) {
    const std::uint64_t seed = scan.first_seed + s;
    const auto data = source.prepare(seed);
    const RowOrder order = training_order(data->train.size(), seed);
    const Status run =
        run_method(method, data->train, order, prefixes, draws_seed(seed), [&](const Snapshot& snapshot) {
          const auto& pairwise = dynamic_cast<const Pairwise&>(*snapshot.learner);
          PairSnapshot moments;
          moments.take(pairwise.moments(), true);
          PairwiseSolver solver;
          Model model;
          const PairwiseChoice choice = solver.solve(moments, std::nullopt, model);
          const double mean =
              mean_label(data->train, std::span<const std::uint32_t>(order).first(snapshot.examples));
          std::vector<double> trials;
          solve_with_factors(pairwise, scan.factors, [&](const Model& trial) {
            trials.push_back(evaluate(trial, data->test).loss_ratio);
          });
          const Model constant{std::vector<double>(data->train.dimension), mean};
          runs[s].push_back({seed, snapshot.examples, snapshot.attributes, choice.ridge, choice.shrink,
                             evaluate(snapshot.model, data->test).loss_ratio, trials,
                             evaluate(constant, data->test).loss_ratio,
                             evaluate(snapshot.model, in_reach(*snapshot.learner, data->test)).loss_ratio});
        });
    progress.advance();
    return run;
  });
  if (!status) return status.error();
  std::vector<RidgePoint> points;
  for (auto& run : runs) std::move(run.begin(), run.end(), std::back_inserter(points));
  return points;
}

std::vector<RidgeSummary> summarise(const std::vector<RidgePoint>& points,
                                    const std::vector<double>& factors) {
  std::map<std::uint64_t, std::vector<const RidgePoint*>> prefixes;
  for (const RidgePoint& point : points) prefixes[point.examples].push_back(&point);
  std::vector<RidgeSummary> summaries;
  for (const auto& [examples, runs] : prefixes) {
    RidgeSummary summary;
    summary.examples = examples;
    summary.runs = runs.size();
    const auto n = static_cast<double>(runs.size());
    std::vector<double> trials(factors.size());
    for (const RidgePoint* run : runs) {
      summary.loss += run->loss / n;
      summary.mean_loss += run->mean_loss / n;
      summary.worst_over_mean = std::max(summary.worst_over_mean, run->loss / run->mean_loss);
      summary.reach_loss += run->reach_loss / n;
      summary.worst_reach_over_mean =
          std::max(summary.worst_reach_over_mean, run->reach_loss / run->mean_loss);
      summary.best_each_loss += *std::min_element(run->trial_losses.begin(), run->trial_losses.end()) / n;
      for (std::size_t f = 0; f < factors.size(); ++f) trials[f] += run->trial_losses[f] / n;
    }
    double squares = 0;
    for (const RidgePoint* run : runs) squares += (run->loss - summary.loss) * (run->loss - summary.loss);
    summary.deviation = runs.size() > 1 ? std::sqrt(squares / (n - 1)) : 0;
    const auto best = std::min_element(trials.begin(), trials.end());
    summary.best_factor = factors[static_cast<std::size_t>(best - trials.begin())];
    summary.best_loss = *best;
    summaries.push_back(summary);
  }
  return summaries;
}

std::string to_csv(const std::vector<RidgePoint>& points, const std::vector<double>& factors) {
  std::string text = "seed,examples,attributes,ridge_factor,ridge,shrink,test_loss_ratio,mean_predictor\n";
  const auto out = std::back_inserter(text);
  for (const RidgePoint& p : points) {
    fmt::format_to(out, "{},{},{},rule,{:.6g},{:.6g},{:.6g},{:.6g}\n", p.seed, p.examples, p.attributes,
                   p.ridge, p.shrink, p.loss, p.mean_loss);
    for (std::size_t f = 0; f < factors.size(); ++f)
      fmt::format_to(out, "{},{},{},{:.6g},{:.6g},1,{:.6g},{:.6g}\n", p.seed, p.examples, p.attributes,
                     factors[f], factors[f] * p.ridge, p.trial_losses[f], p.mean_loss);
  }
  return text;
}

std::string to_csv(const std::vector<RidgeSummary>& summary) {
  std::string text =
      "examples,runs,test_loss_ratio,deviation,best_factor,best_in_hindsight,best_of_each_seed,over_best,"
      "mean_predictor,over_mean,worst_over_mean,reach_over_mean,worst_reach_over_mean\n";
  for (const RidgeSummary& s : summary)
    fmt::format_to(std::back_inserter(text),
                   "{},{},{:.4f},{:.4f},{:.3g},{:.4f},{:.4f},{:.3f},{:.4f},{:.3f},{:.3f},{:.3f},{:.3f}\n",
                   s.examples, s.runs, s.loss, s.deviation, s.best_factor, s.best_loss, s.best_each_loss,
                   s.over_best(), s.mean_loss, s.over_mean(), s.worst_over_mean, s.reach_over_mean(),
                   s.worst_reach_over_mean);
  return text;
}

}  // namespace glimpse
