#include "lab/studies/figure_run.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "common/output.h"
#include "lab/results/attributes_needed.h"
#include "lab/results/plot.h"
#include "lab/results/summary.h"

namespace glimpse {

namespace {

// Runs the figure's curves on one data set and appends to `result`. `suffix` goes behind the curves' labels.
Status run_on(FileSystem& files, const Figure& figure, const DataOptions& data, const FigureRun& run,
              const std::vector<Curve>& curves, const std::string& suffix, ExperimentResult& result) {
  const auto source = DataSource::load(data);
  if (!source) return source.error();
  const auto store = JobStore::open(files, fmt::format("{}/{}.jobs", run.folder, figure.name));
  if (!store) return store.error();
  Experiment experiment;
  experiment.curves = curves;
  experiment.points = points_of(figure, source->training_size());
  experiment.seeds = figure.seeds;
  auto part = run_experiment(experiment, *source, *store, run.execution);
  if (!part) return part.error();
  for (ResultRow& row : part->rows) row.curve += suffix;
  for (TunedCurve& curve : part->tuned) curve.label += suffix;
  for (CurveCounts& curve : part->unlearned) curve.label += suffix;
  std::move(part->rows.begin(), part->rows.end(), std::back_inserter(result.rows));
  std::move(part->tuned.begin(), part->tuned.end(), std::back_inserter(result.tuned));
  std::move(part->unlearned.begin(), part->unlearned.end(), std::back_inserter(result.unlearned));
  return {};
}

Status run_pairs(FileSystem& files, const Figure& figure, const FigureRun& run, ExperimentResult& result) {
  auto data = data_of(figure);
  if (!data) return data.error();
  const std::string prefix = data->data;
  for (int a = 0; a < 10; ++a) {
    for (int b = a + 1; b < 10; ++b) {
      data->data = fmt::format("{}:{},{}", prefix, a, b);
      if (!run.execution.quiet) fmt::print(stderr, "digits {} and {}\n", a, b);
      const Status status = run_on(files, figure, *data, run, curves_of(figure, run.tuning),
                                   fmt::format(" {}-{}", a, b), result);
      if (!status) return status;
    }
  }
  return {};
}

// The pairwise learner, the first curve, looks at the data in its own units; its rivals as the figure says.
Status run_pairwise(FileSystem& files, const Figure& figure, const FigureRun& run, ExperimentResult& result) {
  const auto scaled = data_of(figure);
  if (!scaled) return scaled.error();
  DataOptions raw = *scaled;
  raw.scaling = Scaling::kNone;
  const std::vector<Curve> curves = curves_of(figure, run.tuning);
  const std::vector<Curve> own(curves.begin(), curves.begin() + 1);
  const std::vector<Curve> rivals(curves.begin() + 1, curves.end());
  if (const Status status = run_on(files, figure, raw, run, own, "", result); !status) return status;
  return run_on(files, figure, *scaled, run, rivals, "", result);
}

std::string choices_csv(const std::vector<TunedCurve>& tuned) {
  std::string text = "algorithm,seed,radius,step,phase1_radius,phase1_step,held_out_loss_ratio\n";
  for (const TunedCurve& curve : tuned)
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{:.6g}\n", curve.label, curve.seed,
                   curve.tuned.radius.value_or(0), curve.tuned.step, curve.tuned.phase1_radius.value_or(0),
                   curve.tuned.phase1_step.value_or(0), curve.tuned.loss_ratio);
  return text;
}

Status draw(const std::string& path, const std::vector<SummaryCurve>& curves, const PlotAxes& axes) {
  const std::string script = path + ".gnuplot";
  if (const Status status = write_file(script, plot_script(curves, axes, path)); !status) return status;
  return run_gnuplot(script);
}

// The pairs' mean losses of each algorithm, sorted: the x axis is the rank.
std::vector<SummaryCurve> by_rank(const std::vector<SummaryCurve>& pairs) {
  std::vector<SummaryCurve> ranked;
  for (const SummaryCurve& pair : pairs) {
    const std::string label = pair.label.substr(0, pair.label.rfind(' '));
    auto curve =
        std::find_if(ranked.begin(), ranked.end(), [&](const SummaryCurve& c) { return c.label == label; });
    if (curve == ranked.end()) curve = ranked.insert(curve, {label, {}});
    curve->points.push_back(pair.points.back());
  }
  for (SummaryCurve& curve : ranked) {
    std::sort(curve.points.begin(), curve.points.end(),
              [](const SummaryPoint& a, const SummaryPoint& b) { return a.mean < b.mean; });
    for (std::size_t i = 0; i < curve.points.size(); ++i) curve.points[i].examples = i + 1;
  }
  return ranked;
}

}  // namespace

std::string pairs_table(const std::vector<ResultRow>& rows) {
  std::string text = "algorithm,median_test_loss,median_classification_error,pairs\n";
  for (const SummaryCurve& curve : by_rank(summarise(rows))) {
    std::vector<double> losses;
    std::vector<double> errors;
    for (const SummaryPoint& point : curve.points) {
      losses.push_back(point.mean);
      errors.push_back(point.classification_error);
    }
    fmt::format_to(std::back_inserter(text), "{},{:.4f},{:.4f},{}\n", curve.label, median(losses),
                   median(errors), losses.size());
  }
  return text;
}

Status run_figure(FileSystem& files, const Figure& figure, const FigureRun& run) {
  ExperimentResult result;
  if (figure.every_pair) {
    if (const Status status = run_pairs(files, figure, run, result); !status) return status;
  } else if (figure.family == Family::kPairwise) {
    if (const Status status = run_pairwise(files, figure, run, result); !status) return status;
  } else {
    const auto data = data_of(figure);
    if (!data) return data.error();
    if (const Status status = run_on(files, figure, *data, run, curves_of(figure, run.tuning), "", result);
        !status)
      return status;
  }
  fmt::print(stderr, "{}", warnings(result));
  const std::vector<SummaryCurve> curves = summarise(result.rows);
  const std::string path = fmt::format("{}/{}", run.folder, figure.name);
  for (const auto& [name, text] :
       {std::pair{path + ".csv", std::string(result_header()) + to_csv(result.rows)},
        std::pair{path + "-summary.csv", to_csv(curves)},
        std::pair{path + "-choices.csv", choices_csv(result.tuned)}})
    if (const Status status = write_file(name, text); !status) return status;

  PlotAxes axes;
  axes.title = fmt::format("{}; {} runs", figure.title, figure.seeds);
  axes.x_label = "attributes looked at";
  if (figure.family == Family::kPairwise) {
    const Status status = write_file(path + "-attributes.csv", attributes_table(curves));
    if (!status) return status;
    axes.logarithmic = true;
    return draw(path, curves, axes);
  }
  if (figure.every_pair) {
    if (const Status status = write_file(path + "-table.csv", pairs_table(result.rows)); !status)
      return status;
    axes.x_label = "pairs of digits, sorted for each algorithm";
    axes.against_examples = true;
    return draw(path, by_rank(curves), axes);
  }
  if (figure.family != Family::kCesaBianchi) return draw(path, curves, axes);
  axes.logarithmic = true;  // CSS10 shows both
  if (const Status status = draw(path, curves, axes); !status) return status;
  axes.against_examples = true;
  axes.x_label = "examples";
  return draw(path + "-examples", curves, axes);
}

}  // namespace glimpse
