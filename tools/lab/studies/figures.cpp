#include "lab/studies/figures.h"

#include <cmath>
#include <cstdlib>

namespace glimpse {

namespace {

// KS15's Figures 1 to 4 are KS14's as well; KS14's 5 to 8 are not in KS15. How long the simulated training
// sets were, neither says ("a different m to emphasise the interesting regime"); these show it.
constexpr Figure kFigures[] = {
    {"ks15-1a", "Simulated, ridge, rho = 1 (alpha = 0)", "KS15 Figure 1 (a)", "simulated:ridge:0",
     Scaling::kNone, Family::kRidge, 5, 40000, 100, false, false},
    {"ks15-1b", "Simulated, ridge, rho = 0.91 (alpha = -0.5)", "KS15 Figure 1 (b)", "simulated:ridge:-0.5",
     Scaling::kNone, Family::kRidge, 5, 40000, 100, false, false},
    {"ks15-1c", "Simulated, ridge, rho = 0.55 (alpha = -1)", "KS15 Figure 1 (c)", "simulated:ridge:-1",
     Scaling::kNone, Family::kRidge, 5, 20000, 100, false, false},
    {"ks15-1d", "Simulated, ridge, rho = 0.05 (alpha = -2)", "KS15 Figure 1 (d)", "simulated:ridge:-2",
     Scaling::kNone, Family::kRidge, 5, 10000, 100, false, false},
    {"ks15-2a", "Simulated, lasso, rho = 1 (alpha = 0)", "KS15 Figure 2 (a)", "simulated:lasso:0",
     Scaling::kNone, Family::kLasso, 5, 40000, 100, false, false},
    {"ks15-2b", "Simulated, lasso, rho = 0.086 (alpha = -0.5)", "KS15 Figure 2 (b)", "simulated:lasso:-0.5",
     Scaling::kNone, Family::kLasso, 5, 20000, 100, false, false},
    {"ks15-2c", "Simulated, lasso, rho = 0.014 (alpha = -1)", "KS15 Figure 2 (c)", "simulated:lasso:-1",
     Scaling::kNone, Family::kLasso, 5, 20000, 100, false, false},
    {"ks15-2d", "Simulated, lasso, rho = 0.0033 (alpha = -2)", "KS15 Figure 2 (d)", "simulated:lasso:-2",
     Scaling::kNone, Family::kLasso, 5, 10000, 100, false, false},
    {"ks15-3", "MNIST 3 against 5, ridge, K = 57", "KS15 Figure 3", "mnist:3,5", Scaling::kNorm,
     Family::kRidge, 57, 0, 100, false, false},
    {"ks15-4", "MNIST 3 against 5, lasso, K = 5", "KS15 Figure 4", "mnist:3,5", Scaling::kNone,
     Family::kLasso, 5, 0, 100, false, false},
    {"ks14-5", "Covertype, class 2 against the rest, ridge, K = 5", "KS14 Figure 5", "covtype",
     Scaling::kMaxAbsNorm, Family::kRidge, 5, 100000, 100, false, false},
    {"ks14-6", "Covertype, class 2 against the rest, lasso, K = 5", "KS14 Figure 6", "covtype",
     Scaling::kMaxAbs, Family::kLasso, 5, 100000, 100, false, false},
    {"ks14-7", "Simulated, ridge, alpha = -2, with and without AdaGrad", "KS14 Figure 7",
     "simulated:ridge:-2", Scaling::kNone, Family::kRidgeAdaGrad, 5, 10000, 100, false, false},
    {"ks14-8", "MNIST 3 against 5, ridge, K = 57, with and without AdaGrad", "KS14 Figure 8", "mnist:3,5",
     Scaling::kNorm, Family::kRidgeAdaGrad, 57, 0, 100, false, false},
    {"css10-2", "MNIST 3 against 5, four pixels an image", "CSS10 Figure 2", "mnist:3,5", Scaling::kNone,
     Family::kCesaBianchi, 4, 0, 10, false, true},
    {"css10-table", "MNIST, all 45 pairs of digits, four pixels an image", "CSS10, table of section 4",
     "mnist", Scaling::kNone, Family::kCesaBianchi, 4, 0, 10, true, true},
    {"pairwise-mnist-57", "MNIST 3 against 5, K = 57", "attributes needed", "mnist:3,5", Scaling::kNorm,
     Family::kPairwise, 57, 0, 10, false, false},
    {"pairwise-mnist-5", "MNIST 3 against 5, K = 5", "attributes needed", "mnist:3,5", Scaling::kNorm,
     Family::kPairwise, 5, 0, 10, false, false},
    {"pairwise-cal_housing", "cal_housing, K = 5", "attributes needed", "cal_housing", Scaling::kMaxAbs,
     Family::kPairwise, 5, 0, 10, false, false, true},
    {"pairwise-ailerons", "ailerons, K = 5", "attributes needed", "ailerons", Scaling::kMaxAbs,
     Family::kPairwise, 5, 0, 10, false, false, true},
    {"pairwise-bike_hour", "bike_hour, K = 5", "attributes needed", "bike_hour", Scaling::kMaxAbs,
     Family::kPairwise, 5, 0, 10, false, false, true},
    {"pairwise-cpu_act", "cpu_act, K = 5", "attributes needed", "cpu_act", Scaling::kMaxAbs,
     Family::kPairwise, 5, 0, 10, false, false, true},
    {"pairwise-abalone", "abalone, K = 5", "attributes needed", "abalone", Scaling::kMaxAbs,
     Family::kPairwise, 5, 0, 10, false, false, true},
    {"pairwise-covtype", "Covertype, class 2 against the rest, K = 5", "attributes needed", "covtype",
     Scaling::kMaxAbs, Family::kPairwise, 5, 100000, 10, false, false, true},
    {"pairwise-ridge-0.5", "Simulated, ridge, alpha = -0.5, K = 5", "attributes needed",
     "simulated:ridge:-0.5", Scaling::kNone, Family::kPairwise, 5, 40000, 10, false, false},
    {"pairwise-ridge-1", "Simulated, ridge, alpha = -1, K = 5", "attributes needed", "simulated:ridge:-1",
     Scaling::kNone, Family::kPairwise, 5, 20000, 10, false, false},
    {"pairwise-ridge-2", "Simulated, ridge, alpha = -2, K = 5", "attributes needed", "simulated:ridge:-2",
     Scaling::kNone, Family::kPairwise, 5, 10000, 10, false, false},
};

bool is_file(std::string_view data) { return data.find(':') == std::string_view::npos && data != "mnist"; }

struct CurveDescription {
  Family family;
  const char* label;
  const char* algorithm;
  const char* step_prefix = "";
  std::size_t passes = 1;
  double radius = 0;  // with `step`, in place of cross-validation
  double step = 0;
};

// "AER 30 passes" is not cross-validated: that would cost thirty times as much as AER's. Its radius and step
// were chosen by hand, on five of the pairs of digits. It is not AER's result under K attributes an example
// either: going over the examples again with new draws, it looks at up to 30 K of each.

constexpr std::size_t kHindsightRuns = 3;

constexpr CurveDescription kCurves[] = {
    {Family::kRidge, "AERR", "aerr"},
    {Family::kRidge, "Two-Phased DDAERR", "two-phase-ddaerr"},
    {Family::kRidge, "DDAERR", "ddaerr"},
    {Family::kRidge, "Online ridge", "online-ridge"},
    {Family::kRidge, "Offline ridge", "offline-ridge"},
    {Family::kLasso, "AELR", "aelr"},
    {Family::kLasso, "Two-Phased DDAELR", "two-phase-ddaelr"},
    {Family::kLasso, "DDAELR", "ddaelr"},
    {Family::kLasso, "Online lasso", "online-lasso"},
    {Family::kLasso, "Offline lasso", "offline-lasso"},
    {Family::kRidgeAdaGrad, "AERR", "aerr"},
    {Family::kRidgeAdaGrad, "AERR AdaGrad", "aerr", "adagrad:"},
    {Family::kRidgeAdaGrad, "Two-Phased DDAERR", "two-phase-ddaerr"},
    {Family::kRidgeAdaGrad, "Two-Phased DDAERR AdaGrad", "two-phase-ddaerr", "adagrad:"},
    {Family::kRidgeAdaGrad, "DDAERR", "ddaerr"},
    {Family::kRidgeAdaGrad, "DDAERR AdaGrad", "ddaerr", "adagrad:"},
    {Family::kRidgeAdaGrad, "Online ridge", "online-ridge"},
    {Family::kRidgeAdaGrad, "Online ridge AdaGrad", "online-ridge", "adagrad:"},
    {Family::kRidgeAdaGrad, "Offline ridge", "offline-ridge"},
    {Family::kCesaBianchi, "Baseline", "baseline"},
    {Family::kCesaBianchi, "AER", "aer"},
    {Family::kCesaBianchi, "AER 30 passes", "aer", "", 30, 8, 0.5},
    {Family::kCesaBianchi, "Lasso", "offline-lasso"},
    {Family::kCesaBianchi, "Ridge", "offline-ridge"},
    {Family::kPairwise, "Pairwise", "pairwise"},
    {Family::kPairwise, "DDAERR in hindsight", "ddaerr"},
    {Family::kPairwise, "Online ridge in hindsight", "online-ridge"},
};

}  // namespace

std::span<const Figure> figures() { return kFigures; }

std::vector<Figure> find_figures(std::string_view name) {
  std::vector<Figure> found;
  for (const Figure& figure : kFigures)
    if (figure.name == name) return {figure};
  for (const Figure& figure : kFigures)
    if (name == "all" || (!name.empty() && std::string_view(figure.name).starts_with(name)))
      found.push_back(figure);
  return found;
}

Result<DataOptions> data_of(const Figure& figure) {
  DataOptions options;
  options.data = figure.data;
  options.scaling = figure.scaling;
  options.split_seed = 0;
  options.standardise_labels = figure.regression;
  if (is_file(figure.data)) {
    const char* folder = std::getenv("GLIMPSE_DATA");
    if (folder == nullptr)
      return failure(ErrorCode::kInvalidOption,
                     "{}: GLIMPSE_DATA must name the folder of {}.csv.gz (label first)", figure.name,
                     figure.data);
    options.data = fmt::format("{}/{}.csv.gz", folder, figure.data);
    if (figure.data == std::string_view("covtype")) options.positive = 2;
  }
  if (figure.pooled) {
    options.test_share = 0.1;
    options.split_seed.reset();
  }
  if (figure.examples > 0) {
    options.examples = figure.examples;
    options.largest_training = figure.examples;
  }
  return options;
}

std::vector<Curve> curves_of(const Figure& figure, const TuningOptions& tuning) {
  std::vector<Curve> curves;
  for (const CurveDescription& description : kCurves) {
    if (description.family != figure.family) continue;
    Curve curve;
    curve.label = description.label;
    curve.method.learner.algorithm = description.algorithm;
    curve.method.learner.budget = figure.budget;
    curve.method.passes = description.passes;
    if (figure.family == Family::kPairwise) {
      curve.method.learner.bias = figure.regression || curve.label == "Pairwise";
      if (curve.label != "Pairwise") {
        curve.tuning.emplace();
        curve.tuning->folds = kHindsightRuns;
        curve.tuning->in_hindsight = true;
      }
    } else if (description.step > 0) {
      curve.method.learner.radius = description.radius;
      curve.method.learner.step = StepKind::kNumber;
      curve.method.learner.step_number = description.step;
    } else {
      curve.tuning = tuning;
      curve.tuning->step_prefix = description.step_prefix;
    }
    curves.push_back(curve);
  }
  return curves;
}

MeasuringPoints points_of(const Figure& figure, std::size_t examples) {
  MeasuringPoints points;
  points.all = figure.every_pair;
  if (figure.every_pair) return points;
  if (figure.family == Family::kCesaBianchi) {
    points.all = true;
    for (const std::uint64_t n : {10, 20, 40, 62, 125, 250, 500, 1000, 2000, 4000, 8000})
      if (n < examples) points.counts.push_back(n);
    return points;
  }
  points.in_attributes = true;
  const auto attributes = static_cast<double>(examples) * static_cast<double>(figure.budget);
  if (figure.family == Family::kPairwise) {
    for (int e = 0; e < 26; ++e)  // from all downwards by factors of √2
      points.counts.push_back(static_cast<std::uint64_t>(attributes * std::pow(0.5, 0.5 * e)));
    return points;
  }
  constexpr double kShares[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
  for (const double share : kShares) points.counts.push_back(static_cast<std::uint64_t>(share * attributes));
  return points;
}

}  // namespace glimpse
