#include "lab/studies/class_check.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <memory>

#include "lab/experiments/parallel.h"
#include "learn/classes/class_scores.h"
#include "learn/classes/temperature.h"
#include "learn/core/class_model.h"
#include "learn/factory.h"

namespace glimpse {

namespace {

constexpr std::uint64_t kHeldOutOf = 50;  // one example of so many

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::vector<double> labels_of(const DataSet& data) {
  std::vector<double> labels = data.train.labels;
  labels.insert(labels.end(), data.test.labels.begin(), data.test.labels.end());
  std::ranges::sort(labels);
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

std::size_t class_of(double label, const std::vector<double>& labels) {
  return static_cast<std::size_t>(std::ranges::lower_bound(labels, label) - labels.begin());
}

// Scores of every row of a set, and its class.
struct Scored {
  std::size_t classes;
  std::vector<double> scores;
  std::vector<std::size_t> truth;

  std::size_t size() const { return truth.size(); }
  std::span<const double> of(std::size_t row) const {
    return std::span(scores).subspan(row * classes, classes);
  }
  double log_loss(double slope) const;
};

double Scored::log_loss(double slope) const {
  constexpr double kLeast = 1e-15;
  double sum = 0;
  std::vector<double> p(classes);
  for (std::size_t r = 0; r < size(); ++r) {
    std::ranges::copy(of(r), p.begin());
    to_probabilities(slope, p);
    sum -= std::log(std::max(p[truth[r]], kLeast));
  }
  return sum / static_cast<double>(size());
}

void entries_of(std::span<const float> row, std::vector<Entry>& entries) {
  entries.clear();
  for (std::size_t i = 0; i < row.size(); ++i)
    entries.push_back({static_cast<Attribute>(i), static_cast<double>(row[i])});
}

Scored score(const Learner& learner, const DenseSet& set, const std::vector<double>& labels) {
  Scored scored{labels.size(), std::vector<double>(set.size() * labels.size()), {}};
  const auto model = learner.class_model();
  std::vector<Entry> entries;
  for (std::size_t r = 0; r < set.size(); ++r) {
    entries_of(set.row(r), entries);
    learner.class_scores(model.get(), entries,
                         std::span(scored.scores).subspan(r * labels.size(), labels.size()));
    scored.truth.push_back(class_of(set.labels[r], labels));
  }
  return scored;
}

double best_log_loss(const Scored& scored) {
  double best = std::numeric_limits<double>::infinity();
  for (double slope = 0.05; slope < 8; slope *= 1.05) best = std::min(best, scored.log_loss(slope));
  return best;
}

ClassPoint measure(const Scored& scored, double slope) {
  ClassPoint point;
  point.classes = scored.classes;
  point.slope = slope;
  std::vector<double> p(scored.classes);
  for (std::size_t r = 0; r < scored.size(); ++r) {
    std::ranges::copy(scored.of(r), p.begin());
    to_probabilities(slope, p);
    if (greatest(p) != scored.truth[r]) point.error += 1;
    for (std::size_t c = 0; c < p.size(); ++c) {
      const double off = p[c] - (c == scored.truth[r] ? 1 : 0);
      point.brier += off * off;
    }
  }
  point.error /= static_cast<double>(scored.size());
  point.brier /= static_cast<double>(scored.size());
  point.log_loss = scored.log_loss(slope);
  point.usual_log_loss = scored.log_loss(Temperature::kUsual);
  point.best_log_loss = best_log_loss(scored);
  return point;
}

// One pass. What is held out is scored by the model that judges, as the daemon does.
class Run {
 public:
  Run(Learner& learner, const DataSet& data, std::uint64_t seed)
      : learner_(learner), data_(data), labels_(labels_of(data)), seed_(seed), random_(draws_seed(seed)) {
    learner_.make_classifier(labels_.size());
  }

  std::vector<ClassPoint> go(std::span<const std::size_t> prefixes) {
    const RowOrder order = training_order(data_.train.size(), seed_);
    std::vector<ClassPoint> points;
    double seconds = 0;
    std::size_t n = 0;
    for (const std::size_t prefix : prefixes) {
      const double begin = processor_seconds();
      for (; n < prefix; ++n) take(order[n]);
      seconds += processor_seconds() - begin;
      ClassPoint point = measure(score(learner_, data_.test, labels_), temperature_.slope());
      point.seed = seed_;
      point.examples = prefix;
      point.seconds = seconds;
      points.push_back(point);
    }
    return points;
  }

 private:
  void take(std::uint32_t row) {
    const auto example = data_.train.row(row);
    const std::size_t truth = class_of(data_.train.labels[row], labels_);
    if (Random(row + 1).below(kHeldOutOf) == 0) return hold_out(example, truth);
    learner_.plan(random_, plan_);
    values_.clear();
    for (const Attribute i : plan_.attributes) values_.push_back(static_cast<double>(example[i]));
    learner_.learn(plan_, values_, static_cast<double>(truth), 1);
  }

  void hold_out(std::span<const float> example, std::size_t truth) {
    entries_of(example, entries_);
    scores_.assign(labels_.size(), 0.0);
    learner_.judged_class_scores(entries_, scores_);
    temperature_.add(scores_, truth);
  }

  Learner& learner_;
  const DataSet& data_;
  const std::vector<double> labels_;
  const std::uint64_t seed_;
  Random random_;
  Temperature temperature_;
  Plan plan_;
  std::vector<double> values_;
  std::vector<Entry> entries_;
  std::vector<double> scores_;
};

}  // namespace

Result<std::vector<ClassPoint>> check_classes(const Method& method, const MeasuringPoints& points,
                                              std::uint64_t first_seed, std::uint64_t seeds,
                                              const DataSource& source, const Execution& execution) {
  if (is_offline(method.learner.algorithm))
    return failure(ErrorCode::kInvalidOption, "--algorithm {}: solves for numbers, not for classes",
                   method.learner.algorithm);
  if (const Status status = check(method, source.dimension()); !status) return status.error();
  const auto prefixes =
      prefixes_of(points, attributes_per_example(method, source.dimension()), source.training_size());
  std::vector<std::vector<ClassPoint>> runs(seeds);
  const Status status = parallel_for(seeds, execution.threads, [&](std::size_t s) -> Status {
    LearnerOptions options = method.learner;
    options.dimension = source.dimension();
    options.seed = first_seed + s;
    options.phase1_fraction.reset();
    auto learner = make_learner(options, nullptr);
    if (!learner) return learner.error();
    const auto data = source.prepare(options.seed);
    if (!(*learner)->learns_classes() && labels_of(*data).size() > 2)
      return failure(ErrorCode::kInvalidOption, "--algorithm {}: learns two classes, and there are {}",
                     options.algorithm, labels_of(*data).size());
    runs[s] = Run(**learner, *data, options.seed).go(prefixes);
    return {};
  });
  if (!status) return status.error();
  std::vector<ClassPoint> all;
  for (const auto& run : runs) all.insert(all.end(), run.begin(), run.end());
  return all;
}

std::string to_csv(const std::vector<ClassPoint>& points) {
  std::string text =
      "seed,examples,classes,error,brier,log_loss,usual_log_loss,best_log_loss,slope,seconds\n";
  for (const ClassPoint& p : points)
    fmt::format_to(std::back_inserter(text), "{},{},{},{:.5},{:.5},{:.5},{:.5},{:.5},{:.4},{:.4}\n", p.seed,
                   p.examples, p.classes, p.error, p.brier, p.log_loss, p.usual_log_loss, p.best_log_loss,
                   p.slope, p.seconds);
  return text;
}

}  // namespace glimpse
