#include <benchmark/benchmark.h>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "learn/inference/conditioning.h"
#include "learn/inference/partial_prediction.h"
#include "learn/linalg/l1_ball.h"
#include "learn/pairwise/pairwise.h"
#include "workload.h"

// What a learning step costs: plan() and learn() alone.

namespace glimpse {
namespace {

// Benchmark calls a function several times while it looks for the number of iterations; a learner of 10⁷
// attributes takes seconds to warm up, so the last one is kept.
StepWorkload& workload(const WorkloadOptions& options) {
  using Key = std::tuple<std::string, std::size_t, std::size_t, std::size_t>;
  static Key key;
  static std::unique_ptr<StepWorkload> kept;
  const Key wanted{options.algorithm, options.dimension, options.budget, options.products};
  if (!kept || key != wanted) {
    kept.reset();  // before the next is made: two of 10⁷ attributes are a gigabyte
    kept = std::make_unique<StepWorkload>(options);
    key = wanted;
  }
  return *kept;
}

void step(benchmark::State& state, const char* algorithm, std::size_t products = 0) {
  WorkloadOptions options;
  options.algorithm = algorithm;
  options.products = products;
  options.budget = static_cast<std::size_t>(state.range(0));
  options.dimension = static_cast<std::size_t>(state.range(1));
  StepWorkload& work = workload(options);
  std::size_t revealed = 0;
  for (auto _ : state) revealed += work.step();
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
  state.counters["attributes"] =
      benchmark::Counter(static_cast<double>(revealed), benchmark::Counter::kAvgIterations);
  state.counters["bytes/attribute"] =
      static_cast<double>(work.learner().describe().memory_bytes) / static_cast<double>(options.dimension);
}

void shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"K", "d"});
  for (const int budget : {5, 57})
    for (const int dimension : {100, 784, 1000, 10'000, 100'000, 10'000'000})
      benchmark->Args({budget, dimension});
}

BENCHMARK_CAPTURE(step, two_phase_ddaerr, "two-phase-ddaerr")->Apply(shapes);
BENCHMARK_CAPTURE(step, ddaerr, "ddaerr")->Apply(shapes);
BENCHMARK_CAPTURE(step, pairwise, "pairwise")
    ->ArgNames({"K", "d"})
    ->ArgsProduct({{5, 20, 57}, {100, 784, 1000, 3162, 4096}});
BENCHMARK_CAPTURE(step, pairwise_small, "pairwise")
    ->ArgNames({"K", "d"})
    ->ArgsProduct({{5, 6, 12}, {12, 24, 60}});
BENCHMARK_CAPTURE(step, pairwise_members, "pairwise", 2)
    ->ArgNames({"K", "d"})
    ->ArgsProduct({{5, 20, 57}, {784}});
BENCHMARK_CAPTURE(step, pairwise_products, "pairwise", 2)
    ->ArgNames({"K", "d"})
    ->ArgsProduct({{5, 12}, {12, 60}});
BENCHMARK_CAPTURE(step, pairwise_triples, "pairwise", 3)
    ->ArgNames({"K", "d"})
    ->ArgsProduct({{6, 12}, {12, 24}});
BENCHMARK_CAPTURE(step, pairwise_screened, "pairwise-screened")
    ->ArgNames({"K", "d"})
    ->ArgsProduct({{5, 20, 57}, {784, 100'000, 1'000'000}});
BENCHMARK_CAPTURE(step, pairwise_screened_products, "pairwise-screened", 2)
    ->ArgNames({"K", "d"})
    ->ArgsProduct({{5, 20, 57}, {784, 100'000}});

// A model from the moments of 20,000 examples.
void solve(benchmark::State& state) {
  WorkloadOptions options;
  options.algorithm = "pairwise";
  options.budget = 20;
  options.dimension = static_cast<std::size_t>(state.range(0));
  StepWorkload& work = workload(options);
  for (int i = 0; i < 20000; ++i) work.step();
  Model model;
  for (auto _ : state) {
    work.step();  // or the last solution would do
    work.learner().model(model);
    benchmark::DoNotOptimize(model.bias);
  }
}
BENCHMARK(solve)->ArgName("d")->Arg(784)->Arg(4096)->Unit(benchmark::kMillisecond);

const PairMoments& learned_moments(std::int64_t dimension) {
  WorkloadOptions options;
  options.algorithm = "pairwise";
  options.budget = 20;
  options.dimension = static_cast<std::size_t>(dimension);
  StepWorkload& work = workload(options);
  for (int i = 0; i < 20000; ++i) work.step();
  return dynamic_cast<const Pairwise&>(work.learner()).moments();
}

// What learning pauses for, in slices: the copy that a solution is made from.
void snapshot(benchmark::State& state) {
  const PairMoments& moments = learned_moments(state.range(0));
  PairSnapshot copy;
  copy.take(moments, true);  // touches its memory
  for (auto _ : state) copy.take(moments, true);
}
BENCHMARK(snapshot)->ArgName("d")->Arg(784)->Arg(4096)->Unit(benchmark::kMillisecond);

// The same model without a ball, and in balls of half the weights' sum and of half their length.
void solve_in_ball(benchmark::State& state, std::optional<Ball> norm) {
  PairSnapshot moments;
  moments.take(learned_moments(state.range(0)), true);
  PairwiseSolver solver;
  Model model;
  solver.solve(moments, NormBall{Ball::kL2, 1e30}, model);
  double squares = 0;
  for (const double w : model.weights) squares += w * w;
  std::optional<NormBall> ball;
  if (norm) ball = NormBall{*norm, (*norm == Ball::kL1 ? l1_norm(model.weights) : std::sqrt(squares)) / 2};
  for (auto _ : state) {
    solver.solve(moments, ball, model);
    benchmark::DoNotOptimize(model.bias);
  }
}
void solve_dimensions(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("d")->Arg(784)->Arg(4096)->Unit(benchmark::kMillisecond);
}
BENCHMARK_CAPTURE(solve_in_ball, none, std::nullopt)->Apply(solve_dimensions);
BENCHMARK_CAPTURE(solve_in_ball, l2, Ball::kL2)->Apply(solve_dimensions);
BENCHMARK_CAPTURE(solve_in_ball, l1, Ball::kL1)->Apply(solve_dimensions);

// What a solution says of its moments besides.
void solve_moments(benchmark::State& state) {
  PairSnapshot moments;
  moments.take(learned_moments(state.range(0)), true);
  PairwiseSolver solver;
  Model model;
  TargetMoments description;
  solver.solve(moments, std::nullopt, model);
  for (auto _ : state) {
    solver.describe(moments, model, description);
    benchmark::DoNotOptimize(description.total);
  }
}
BENCHMARK(solve_moments)->Apply(solve_dimensions);

// A prediction from n known attributes of 4,096, their covariances included; with `choose` ready to choose
// among all others.
void predict_partially(benchmark::State& state) {
  const PairMoments& moments = learned_moments(4096);
  PairSnapshot copy;
  copy.take(moments, true);
  PairwiseSolver solver;
  auto solution = std::make_shared<Solution>();
  solver.solve(copy, std::nullopt, solution->model);
  solver.describe(copy, solution->model, solution->moments);
  const auto n = static_cast<std::size_t>(state.range(0));
  std::vector<Attribute> universe(state.range(1) != 0 ? 4096 : n);
  std::iota(universe.begin(), universe.end(), Attribute{0});
  std::vector<double> row(universe.size());
  for (auto _ : state) {
    PartialPrediction prediction(solution, universe);
    for (Attribute i = 0; i < n; ++i) {
      covariances(moments, {}, solution->moments, {&i, 1}, universe, row);
      prediction.add_known(i, 1, row);
    }
    benchmark::DoNotOptimize(prediction.variance());
  }
}
BENCHMARK(predict_partially)
    ->ArgNames({"known", "choose"})
    ->ArgsProduct({{10, 100, 1000}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace glimpse
