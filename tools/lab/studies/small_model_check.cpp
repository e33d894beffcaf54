#include "lab/studies/small_model_check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <numeric>

#include <Eigen/Cholesky>

#include "lab/experiments/answer_loss.h"
#include "lab/experiments/parallel.h"
#include "lab/offline/normal_equations.h"
#include "learn/core/solving.h"
#include "learn/factory.h"

namespace glimpse {

namespace {

constexpr std::size_t kMost = 20;        // attributes of a model
constexpr std::size_t kEnumerated = 12;  // attributes of which every subset is tried
constexpr double kSingular = 1e-9;       // of each variance

// Least squares on every subset of the attributes, by the whole training set.
class Subsets {
 public:
  explicit Subsets(const DenseSet& train) {
    std::vector<std::uint32_t> rows(train.size());
    std::iota(rows.begin(), rows.end(), 0U);
    const NormalEquations equations = normal_equations(train, rows, true);
    const Eigen::Index d = equations.b.size() - 1;
    const Eigen::VectorXd mean = equations.a.col(d).head(d);
    const double label = equations.b[d];
    covariances_ = equations.a.topLeftCorner(d, d) - mean * mean.transpose();
    target_ = equations.b.head(d) - label * mean;
    variance_ = equations.c - label * label;
    for (Eigen::Index i = 0; i < d; ++i) covariances_(i, i) += kSingular * covariances_(i, i) + 1e-300;
  }

  double error(const std::vector<Eigen::Index>& subset) const {
    const Eigen::VectorXd b = target_(subset);
    const Eigen::MatrixXd a = covariances_(subset, subset);
    return variance_ - b.dot(a.ldlt().solve(b));
  }
  // By number of attributes, from 0 on.
  std::vector<double> best() const {
    const auto d = static_cast<std::size_t>(target_.size());
    if (d > kEnumerated) return std::vector<double>(d + 1, std::nan(""));
    std::vector<double> least(d + 1, std::numeric_limits<double>::infinity());
    least[0] = variance_;
    std::vector<Eigen::Index> subset;
    for (std::size_t bits = 1; bits < std::size_t{1} << d; ++bits) {
      subset.clear();
      for (std::size_t i = 0; i < d; ++i)
        if ((bits >> i & 1) != 0) subset.push_back(static_cast<Eigen::Index>(i));
      double& of_size = least[subset.size()];
      of_size = std::min(of_size, error(subset));
    }
    return least;
  }

 private:
  Eigen::MatrixXd covariances_;
  Eigen::VectorXd target_;
  double variance_ = 0;
};

std::shared_ptr<const SmallModel> ask(Learner& learner, std::size_t attributes) {
  SolutionWish wish;
  wish.small_models.push_back({attributes, std::nullopt});
  learner.solving()->wish(wish);
  learner.shared_model();
  return learner.small_model(wish.small_models.front());
}

double mean_square_about_mean(const DenseSet& set) {
  double sum = 0;
  for (const double y : set.labels) sum += y;
  const double mean = sum / static_cast<double>(set.size());
  double squares = 0;
  for (const double y : set.labels) squares += (y - mean) * (y - mean);
  return squares / static_cast<double>(set.size());
}

double mean_square_loss(const DenseSet& set) {
  double squares = 0;
  for (const double y : set.labels) squares += y * y;
  return squares / static_cast<double>(set.size());
}

std::vector<SmallModelPoint> measure_small_models(Learner& learner, const DataSet& data,
                                                  const Subsets& subsets, const std::vector<double>& best) {
  std::vector<SmallModelPoint> points;
  const AnswerBounds bounds = bounds_of(learner);
  const double unit = mean_square_about_mean(data.test);
  const double zero = mean_square_loss(data.test);
  for (std::size_t k = 1; k <= std::min(kMost, data.train.dimension); ++k) {
    const auto small = ask(learner, k);
    if (!small || small->chosen.size() < k) break;
    const SmallModel::Step& step = small->steps.back();
    std::vector<Eigen::Index> chosen(small->chosen.begin(), small->chosen.end());
    const AnswerLoss loss = answer_loss(small->model, bounds, data.test);
    SmallModelPoint point;
    point.attributes = k;
    point.added = step.added.size();
    point.told_error = step.loss_error / unit;
    point.told = step.loss / unit;
    point.exported = loss.exported * zero / unit;
    point.clipped = loss.clipped * zero / unit;
    point.best = best[k] / best[0];
    point.chosen = subsets.error(chosen) / subsets.error({});
    points.push_back(point);
  }
  return points;
}

class SmallModelRun {
 public:
  SmallModelRun(Learner& learner, const DataSet& data, std::uint64_t seed)
      : learner_(learner), data_(data), seed_(seed), random_(draws_seed(seed)) {}

  std::vector<SmallModelPoint> go(std::span<const std::size_t> prefixes) {
    const RowOrder order = training_order(data_.train.size(), seed_);
    const Subsets subsets(data_.train);
    const std::vector<double> best = subsets.best();
    std::vector<SmallModelPoint> points;
    std::size_t n = 0;
    for (const std::size_t prefix : prefixes) {
      for (; n < prefix; ++n) take(order[n]);
      for (SmallModelPoint point : measure_small_models(learner_, data_, subsets, best)) {
        point.seed = seed_;
        point.examples = prefix;
        points.push_back(std::move(point));
      }
    }
    return points;
  }

 private:
  void take(std::uint32_t row) {
    const auto example = data_.train.row(row);
    learner_.plan(random_, plan_);
    values_.clear();
    for (const Attribute i : plan_.attributes) values_.push_back(static_cast<double>(example[i]));
    learner_.learn(plan_, values_, data_.train.labels[row], 1);
  }

  Learner& learner_;
  const DataSet& data_;
  const std::uint64_t seed_;
  Random random_;
  Plan plan_;
  std::vector<double> values_;
};

}  // namespace

Result<std::vector<SmallModelPoint>> check_small_models(const Method& method, const MeasuringPoints& points,
                                                        std::uint64_t first_seed, std::uint64_t seeds,
                                                        const DataSource& source,
                                                        const Execution& execution) {
  if (const Status status = check(method, source.dimension()); !status) return status.error();
  const auto prefixes =
      prefixes_of(points, attributes_per_example(method, source.dimension()), source.training_size());
  std::vector<std::vector<SmallModelPoint>> runs(seeds);
  const Status status = parallel_for(seeds, execution.threads, [&](std::size_t s) -> Status {
    LearnerOptions options = method.learner;
    options.dimension = source.dimension();
    options.seed = first_seed + s;
    options.phase1_fraction.reset();
    auto learner = make_learner(options, nullptr);
    if (!learner) return learner.error();
    if (const Status able = (*learner)->check_small_models(); !able) return able;
    const auto data = source.prepare(options.seed);
    runs[s] = SmallModelRun(**learner, *data, options.seed).go(prefixes);
    return {};
  });
  if (!status) return status.error();
  std::vector<SmallModelPoint> all;
  for (const auto& run : runs) all.insert(all.end(), run.begin(), run.end());
  return all;
}

std::string to_csv(const std::vector<SmallModelPoint>& points) {
  std::string text =
      "seed,examples,attributes,added,told,told_error,exported,clipped,told_over_clipped,chosen,best,over_"
      "best\n";
  for (const SmallModelPoint& p : points)
    fmt::format_to(std::back_inserter(text),
                   "{},{},{},{},{:.4},{:.4},{:.4},{:.4},{:.3f},{:.4},{:.4},{:.3f}\n", p.seed, p.examples,
                   p.attributes, p.added, p.told, p.told_error, p.exported, p.clipped, p.told / p.clipped,
                   p.chosen, p.best, p.chosen / p.best);
  return text;
}

}  // namespace glimpse
