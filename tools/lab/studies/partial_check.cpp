#include "lab/studies/partial_check.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include "lab/experiments/parallel.h"
#include "learn/inference/conditioning.h"
#include "learn/inference/partial_prediction.h"

namespace glimpse {

namespace {

constexpr double kExactRidge = 1e-6;  // of each variance: equal attributes would make Σ singular

struct Sums {
  double squares = 0;
  double ratios = 0;
  double within = 0;
  double count = 0;

  void add(double error, double standard_error) {
    squares += error * error;
    if (standard_error > 0) ratios += error * error / (standard_error * standard_error);
    if (std::abs(error) <= 2 * standard_error) within += 1;
    count += 1;
  }
  void add(const Sums& other) {
    squares += other.squares;
    ratios += other.ratios;
    within += other.within;
    count += other.count;
  }
};

using Key = std::tuple<std::uint64_t, double, std::size_t, std::string>;
using Scores = std::map<Key, Sums>;

// The covariances of a whole set, d × d.
class ExactCovariances {
 public:
  explicit ExactCovariances(const DenseSet& set) : d_(set.dimension), means_(d_), cells_(d_ * d_) {
    const auto n = static_cast<double>(set.size());
    for (std::size_t r = 0; r < set.size(); ++r)
      for (std::size_t i = 0; i < d_; ++i) means_[i] += static_cast<double>(set.row(r)[i]) / n;
    std::vector<double> x(d_);
    for (std::size_t r = 0; r < set.size(); ++r) {
      for (std::size_t i = 0; i < d_; ++i) x[i] = static_cast<double>(set.row(r)[i]) - means_[i];
      for (std::size_t i = 0; i < d_; ++i) {
        if (x[i] == 0) continue;
        for (std::size_t j = 0; j < d_; ++j) cells_[i * d_ + j] += x[i] * x[j] / n;
      }
    }
    for (std::size_t i = 0; i < d_; ++i) cells_[i * d_ + i] *= 1 + kExactRidge;
  }

  std::shared_ptr<const Solution> solution(const Model& model, double noise) const {
    auto solution = std::make_shared<Solution>();
    solution->model = model;
    TargetMoments& moments = solution->moments;
    moments = no_moments(d_);
    moments.means = means_;
    moments.noise = noise;
    for (std::size_t i = 0; i < d_; ++i) {
      moments.variances[i] = cells_[i * d_ + i];
      for (std::size_t j = 0; j < d_; ++j) moments.target[i] += cells_[i * d_ + j] * model.weights[j];
      moments.total += model.weights[i] * moments.target[i];
      moments.expected += model.weights[i] * means_[i];
    }
    return solution;
  }
  void row(Attribute i, std::span<const Attribute> columns, std::span<double> out) const {
    for (std::size_t c = 0; c < columns.size(); ++c) out[c] = cells_[i * d_ + columns[c]];
  }

 private:
  std::size_t d_;
  std::vector<double> means_;
  std::vector<double> cells_;
};

// A way to predict: a solution, and rows of covariances for it.
struct Predictor {
  std::shared_ptr<const Solution> solution;
  std::function<void(Attribute, std::span<const Attribute>, std::span<double>)> row;  // empty: independence

  bool add(PartialPrediction& prediction, Attribute i, double value) const {
    std::vector<double> cells(row ? prediction.universe().size() : 0);
    if (row) row(i, prediction.universe(), cells);
    return prediction.add_known(i, value, cells);
  }
  PartialPrediction predict(std::span<const float> x, std::span<const Attribute> known,
                            std::vector<Attribute> universe) const {
    PartialPrediction prediction(solution, std::move(universe));
    for (const Attribute i : known) add(prediction, i, static_cast<double>(x[i]));
    return prediction;
  }
};

// One learner on one test set.
class Measurement {
 public:
  Measurement(const PartialCheck& check, const Snapshot& snapshot, const DataSet& data,
              const ExactCovariances& exact, std::uint64_t seed, Scores& scores)
      : check_(check), examples_(snapshot.examples), data_(data), random_(seed), scores_(scores) {
    const Learner& learner = *snapshot.learner;
    auto newest = std::make_shared<Solution>(*learner.conditioning()->newest_solution());
    newest->moments.noise = error_variance(newest->moments.noise, learner.progressive_loss().recent());
    conditional_.solution = newest;
    conditional_.row = [&learner, newest](Attribute i, std::span<const Attribute> columns,
                                          std::span<double> out) {
      learner.conditioning()->covariances(newest->moments, {&i, 1}, columns, out);
    };
    auto independent = std::make_shared<Solution>(*independent_solution(learner));
    independent->moments.noise = newest->moments.noise;
    independent_.solution = independent;
    exact_.solution = exact.solution(newest->model, newest->moments.noise);
    exact_.row = [&exact](Attribute i, std::span<const Attribute> columns, std::span<double> out) {
      exact.row(i, columns, out);
    };
    all_.resize(data.test.dimension);
    std::iota(all_.begin(), all_.end(), Attribute{0});
  }

  void run() {
    const std::size_t rows = std::min(check_.predictions, data_.test.size());
    for (std::size_t r = 0; r < rows; ++r) {
      note("full", 1, 0, r, independent_.predict(data_.test.row(r), all_, all_));
      for (std::size_t s = 0; s < check_.shares.size(); ++s) {
        const auto known = draw(check_.shares[s]);
        note("mean", check_.shares[s], 0, r, independent_.predict(data_.test.row(r), known, known));
        note("conditional", check_.shares[s], 0, r, conditional_.predict(data_.test.row(r), known, known));
        note("exact", check_.shares[s], 0, r, exact_.predict(data_.test.row(r), known, known));
        if (s == 0 && !check_.purchases.empty()) buy(check_.shares[s], known, r);
      }
    }
  }

 private:
  void note(const char* rule, double share, std::size_t bought, std::size_t row,
            const PartialPrediction& prediction) {
    scores_[{examples_, share, bought, rule}].add(prediction.prediction() - data_.test.labels[row],
                                                  prediction.standard_error());
  }

  // At least one, and not all unless that is the share.
  std::vector<Attribute> draw(double share) {
    std::vector<Attribute> order = all_;
    const auto d = static_cast<double>(order.size());
    const double count = share < 1 ? std::clamp(std::round(share * d), 1.0, std::max(d - 1, 1.0)) : d;
    const auto n = static_cast<std::size_t>(count);
    for (std::size_t i = 0; i < n; ++i) std::swap(order[i], order[i + random_.below(order.size() - i)]);
    order.resize(n);
    return order;
  }

  void buy(double share, const std::vector<Attribute>& known, std::size_t row) {
    const std::span<const float> x = data_.test.row(row);
    const PartialPrediction start = conditional_.predict(x, known, all_);
    const PartialPrediction by_weights = independent_.predict(x, known, all_);
    const PartialPrediction by_exact = exact_.predict(x, known, all_);
    const auto shuffled = draw(1);
    const auto go = [&](const char* rule, const Predictor& chooser, PartialPrediction choice) {
      PartialPrediction prediction = start;
      std::size_t bought = 0;
      for (const std::size_t r : check_.purchases) {
        for (; bought < r; ++bought) {
          const auto best = choice.best_next([](Attribute) { return 1.0; });
          if (!best) break;
          const auto value = static_cast<double>(x[best->attribute]);
          conditional_.add(prediction, best->attribute, value);
          chooser.add(choice, best->attribute, value);
        }
        note(rule, share, r, row, prediction);
      }
    };
    go("greedy", conditional_, start);
    go("weights", independent_, by_weights);
    go("greedy-exact", exact_, by_exact);
    PartialPrediction prediction = start;
    auto next = shuffled.begin();
    std::size_t bought = 0;
    for (const std::size_t r : check_.purchases) {
      for (; bought < r && next != shuffled.end(); ++next)
        if (conditional_.add(prediction, *next, static_cast<double>(x[*next]))) ++bought;
      note("random", share, r, row, prediction);
    }
  }

  const PartialCheck& check_;
  const std::uint64_t examples_;
  const DataSet& data_;
  Random random_;
  Scores& scores_;
  Predictor conditional_;
  Predictor independent_;
  Predictor exact_;
  std::vector<Attribute> all_;
};

}  // namespace

Result<std::vector<PartialScore>> check_partial(const PartialCheck& check, const DataSource& source,
                                                const Execution& execution) {
  Method method;
  method.learner.algorithm = "pairwise";
  method.learner.budget = check.budget;
  method.learner.bias = true;
  if (const Status status = glimpse::check(method, source.dimension()); !status) return status.error();
  for (const double share : check.shares)
    if (!(share <= 1)) return failure(ErrorCode::kInvalidOption, "--known: {} is above 1", share);
  const auto prefixes = prefixes_of(check.points, check.budget, source.training_size());
  std::vector<Scores> runs(check.seeds);
  Progress progress("running", check.seeds, execution.quiet);
  const Status status = parallel_for(check.seeds, execution.threads, [&](std::size_t s) {
    const std::uint64_t seed = check.first_seed + s;
    const auto data = source.prepare(seed);
    const ExactCovariances exact(data->train);
    const RowOrder order = training_order(data->train.size(), seed);
    const Status run =
        run_method(method, data->train, order, prefixes, draws_seed(seed), [&](const Snapshot& snapshot) {
          Measurement(check, snapshot, *data, exact, draws_seed(seed) + 1, runs[s]).run();
        });
    progress.advance();
    return run;
  });
  if (!status) return status.error();

  Scores sums;
  for (const Scores& run : runs)
    for (const auto& [key, part] : run) sums[key].add(part);
  std::vector<PartialScore> scores;
  for (const auto& [key, part] : sums) {
    const auto& [examples, share, bought, rule] = key;
    const double full = sums[{examples, 1, 0, "full"}].squares / sums[{examples, 1, 0, "full"}].count;
    const double square = part.squares / part.count;
    scores.push_back({examples, share, bought, rule, std::sqrt(square), std::sqrt(square / full),
                      part.ratios / part.count, part.within / part.count});
  }
  return scores;
}

std::string to_csv(const std::vector<PartialScore>& scores) {
  std::string text = "examples,known,bought,rule,rmse,over_full,honesty,within_two\n";
  for (const PartialScore& s : scores)
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{:.6g},{:.3f},{:.2f},{:.3f}\n", s.examples, s.share,
                   s.bought, s.rule, s.error, s.over_full, s.honesty, s.within);
  return text;
}

}  // namespace glimpse
