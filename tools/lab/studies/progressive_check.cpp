#include "lab/studies/progressive_check.h"

#include <fmt/format.h>
#include <iterator>
#include <span>

#include "lab/experiments/evaluation.h"
#include "lab/experiments/parallel.h"

namespace glimpse {

namespace {

double mean_square(const std::vector<double>& labels) {
  double sum = 0;
  for (const double y : labels) sum += y * y;
  return sum / static_cast<double>(labels.size());
}

}  // namespace

Result<std::vector<ProgressivePoint>> check_progressive(const Method& method, const MeasuringPoints& points,
                                                        std::uint64_t first_seed, std::uint64_t seeds,
                                                        const DataSource& source,
                                                        const Execution& execution) {
  if (is_offline(method.learner.algorithm))
    return failure(ErrorCode::kInvalidOption, "--algorithm {}: has no progressive loss",
                   method.learner.algorithm);
  if (const Status status = check(method, source.dimension()); !status) return status.error();
  const auto prefixes =
      prefixes_of(points, attributes_per_example(method, source.dimension()), source.training_size());
  std::vector<std::vector<ProgressivePoint>> runs(seeds);
  const Status status = parallel_for(seeds, execution.threads, [&](std::size_t s) {
    const std::uint64_t seed = first_seed + s;
    const auto data = source.prepare(seed);
    const double zero = mean_square(data->test.labels);
    const RowOrder order = training_order(data->train.size(), seed);
    const auto measure = [&](const Snapshot& snapshot) {
      const auto recent = snapshot.learner->progressive_loss().recent();
      runs[s].push_back({seed, snapshot.examples, recent.mean / zero, recent.standard_error() / zero,
                         evaluate(snapshot.model, data->test).loss_ratio});
    };
    Method measured = method;
    Status run;
    for (std::size_t i = 0; run && i < prefixes.size(); ++i) {
      measured.recent = prefixes[i] * method.passes / 2;
      run = run_method(measured, data->train, order, std::span(prefixes).subspan(i, 1), draws_seed(seed),
                       measure);
    }
    return run;
  });
  if (!status) return status.error();
  std::vector<ProgressivePoint> all;
  for (const auto& run : runs) all.insert(all.end(), run.begin(), run.end());
  return all;
}

std::string to_csv(const std::vector<ProgressivePoint>& points) {
  std::string text = "seed,examples,progressive_loss,standard_error,test_loss\n";
  for (const ProgressivePoint& p : points)
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{}\n", p.seed, p.examples, p.progressive, p.error,
                   p.test_loss);
  return text;
}

}  // namespace glimpse
