#include "learn/inference/conditioning.h"

#include <cmath>
#include <doctest/doctest.h>
#include <numeric>

#include <Eigen/Dense>

#include "learn/factory.h"
#include "learn/inference/partial_prediction.h"
#include "learn/learner_test_support.h"
#include "learn/pairwise/pairwise.h"

namespace conditioning_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr std::size_t kDimension = 8;

// Correlated attributes in units of their own; the last never varies.
std::vector<double> next_example(Random& random, double& label) {
  std::vector<double> x(kDimension);
  const double common = 2 * random.uniform() - 1;
  label = 1;
  for (std::size_t i = 0; i < kDimension; ++i) {
    const double unit = std::pow(10, static_cast<double>(i % 4) - 1);
    x[i] = i + 1 == kDimension ? 3 : unit * (2 + common + 0.5 * random.uniform());
    label += (i % 2 == 0 ? 1.0 : 0.5) * x[i] / unit;
  }
  label += 0.2 * random.uniform();
  return x;
}

LearnerOptions options_with(std::size_t budget, bool bias) {
  LearnerOptions options = options_of("pairwise", kDimension, budget);
  options.bias = bias;
  return options;
}

void learn(Learner& learner, int examples, std::uint64_t seed) {
  Random random(seed);
  Plan plan;
  for (int t = 0; t < examples; ++t) {
    double label = 0;
    const auto x = next_example(random, label);
    learner.plan(random, plan);
    learner.learn(plan, reveal(plan, x), label, 1);
  }
}

std::vector<Attribute> all(std::size_t d) {
  std::vector<Attribute> attributes(d);
  std::iota(attributes.begin(), attributes.end(), Attribute{0});
  return attributes;
}

Eigen::MatrixXd matrix_of(const Conditioning& conditioning, const TargetMoments& about) {
  const std::size_t d = about.means.size();
  std::vector<double> cells(d * d);
  conditioning.covariances(about, all(d), all(d), cells);
  const auto size = static_cast<Eigen::Index>(d);
  return Eigen::Map<const Eigen::MatrixXd>(cells.data(), size, size);
}

PartialPrediction predict(const Conditioning& conditioning, std::shared_ptr<const Solution> solution,
                          const std::vector<double>& x, const std::vector<Attribute>& known,
                          const std::vector<Attribute>& universe) {
  PartialPrediction prediction(solution, universe);
  std::vector<double> row(universe.size());
  for (const Attribute i : known) {
    conditioning.covariances(solution->moments, {&i, 1}, universe, row);
    REQUIRE(prediction.add_known(i, x[i], row));
  }
  return prediction;
}

}  // namespace

TEST_CASE("a solution's moments are those of its covariances, with and without a bias") {
  for (const bool bias : {true, false}) {
    Pairwise learner(options_with(4, bias));
    learn(learner, 500, 1);
    const auto solution = learner.newest_solution();
    const TargetMoments& moments = solution->moments;
    const Eigen::MatrixXd sigma = matrix_of(learner, moments);
    CHECK((sigma - sigma.transpose()).cwiseAbs().maxCoeff() == 0);
    const Eigen::Map<const Eigen::VectorXd> w(solution->model.weights.data(), kDimension);
    const Eigen::VectorXd target = sigma * w;
    // Without a bias the copy holds sums about 0 alone: those about the means are had from them as if each
    // pair's examples had the means of all.
    const double tolerance = bias ? 1e-4 : 0.15;
    double expected = 0;
    for (std::size_t i = 0; i < kDimension; ++i) {
      const double deviation = std::sqrt(moments.variances[i] * moments.total);
      CHECK(std::abs(target(static_cast<Eigen::Index>(i)) - moments.target[i]) < tolerance * deviation);
      CHECK(moments.means[i] == doctest::Approx(learner.sampling_row(static_cast<Attribute>(i)).moment.mean));
      CHECK(moments.ridge[i] > 0);
      CHECK(moments.ridge[i] <= moments.variances[i]);
      expected += w(static_cast<Eigen::Index>(i)) * moments.means[i];
    }
    CHECK(moments.total == doctest::Approx(w.dot(target)).epsilon(tolerance));
    CHECK(moments.expected == doctest::Approx(expected));
    CHECK(moments.noise > 0);
    CHECK(moments.noise < learner.moments().label().variance());
    const Eigen::VectorXd scale = sigma.diagonal().cwiseSqrt().cwiseInverse();
    const Eigen::MatrixXd correlations = scale.asDiagonal() * sigma * scale.asDiagonal();
    CHECK(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(correlations).eigenvalues()(0) > 0);
  }
}

TEST_CASE("the same of uncorrelated attributes that are rarely not 0: both shrink their covariances more") {
  Pairwise learner(options_with(4, true));
  Random random(1);
  Plan plan;
  std::vector<double> x(kDimension);
  for (int t = 0; t < 3000; ++t) {
    for (std::size_t i = 0; i < kDimension; ++i)
      x[i] = i < 3 ? (random.below(20) == 0 ? 1 : 0) : 2 * random.uniform() - 1;
    const double label = x[0] - x[2] + x[4] + x[6];
    learner.plan(random, plan);
    learner.learn(plan, reveal(plan, x), label, 1);
  }
  const auto solution = learner.newest_solution();
  const TargetMoments& moments = solution->moments;
  for (std::size_t i = 0; i < 3; ++i) CHECK(moments.shrinkage[i] > 3);
  for (std::size_t i = 3; i < kDimension; ++i) CHECK(moments.shrinkage[i] == 1);
  const Eigen::Map<const Eigen::VectorXd> w(solution->model.weights.data(), kDimension);
  const Eigen::VectorXd target = matrix_of(learner, moments) * w;
  for (std::size_t i = 0; i < kDimension; ++i)
    CHECK(std::abs(target(static_cast<Eigen::Index>(i)) - moments.target[i]) <
          1e-4 * std::sqrt(moments.variances[i] * moments.total));
}

TEST_CASE("where two of eight attributes are known, the others' conditional means beat their means") {
  Pairwise learner(options_with(4, true));
  learn(learner, 3000, 1);
  const auto solution = learner.newest_solution();
  const auto plain = independent_solution(learner);
  Random random(5);
  double conditional = 0;
  double by_means = 0;
  double honest = 0;
  const std::vector<Attribute> known = {1, 4};
  for (int t = 0; t < 500; ++t) {
    double label = 0;
    const auto x = next_example(random, label);
    const PartialPrediction a = predict(learner, solution, x, known, known);
    PartialPrediction b(plain, known);
    for (const Attribute i : known) REQUIRE(b.add_known(i, x[i], {}));
    conditional += std::pow(a.prediction() - label, 2) / 500;
    by_means += std::pow(b.prediction() - label, 2) / 500;
    honest += std::pow((a.prediction() - label) / a.standard_error(), 2) / 500;
  }
  CHECK(conditional < 0.3 * by_means);
  CHECK(honest < 1.5);
  CHECK(honest > 0.1);
}

TEST_CASE("with all attributes known it is the model's prediction") {
  Pairwise learner(options_with(3, true));
  learn(learner, 300, 2);
  const auto solution = learner.newest_solution();
  Random random(3);
  double label = 0;
  const auto x = next_example(random, label);
  std::vector<Entry> entries;
  for (Attribute i = 0; i < kDimension; ++i) entries.push_back({i, x[i]});
  const PartialPrediction prediction =
      predict(learner, solution, x, {5, 0, 3, 7, 1, 2, 6, 4}, all(kDimension));
  CHECK(prediction.prediction() == doctest::Approx(learner.predict(entries)).epsilon(1e-12));
  CHECK(prediction.variance() == 0);
  CHECK(prediction.standard_error() == doctest::Approx(std::sqrt(solution->moments.noise)));
}

TEST_CASE("few examples, and moments far newer than the solution: sound numbers") {
  for (const int examples : {1, 2, 3, 5, 10, 40}) {
    Pairwise learner(options_with(2, true));
    learn(learner, examples, 4);
    const auto solution = learner.newest_solution();
    for (const int more : {0, 7, 3000}) {
      learn(learner, more, 6);
      Random random(7);
      double label = 0;
      const auto x = next_example(random, label);
      double variance = std::numeric_limits<double>::infinity();
      for (Attribute n = 0; n <= kDimension; ++n) {
        const PartialPrediction prediction = predict(learner, solution, x, all(n), all(kDimension));
        CHECK(std::isfinite(prediction.prediction()));
        CHECK(prediction.variance() >= 0);
        CHECK(std::isfinite(prediction.standard_error()));
        if (more == 0) CHECK(prediction.variance() <= variance * (1 + 1e-9) + 1e-12);
        variance = prediction.variance();
      }
    }
  }
}

TEST_CASE("nothing learned, and one attribute") {
  Pairwise learner(options_with(2, true));
  const auto solution = learner.newest_solution();
  const PartialPrediction prediction =
      predict(learner, solution, std::vector<double>(kDimension, 5.0), {0, 3}, all(kDimension));
  CHECK(prediction.prediction() == 0);
  CHECK(prediction.standard_error() == 0);
  CHECK(!prediction.best_next([](Attribute) { return 0.0; }));

  LearnerOptions options = options_of("pairwise", 1, 1);
  options.bias = true;
  Pairwise single(options);
  Random random(1);
  Plan plan;
  for (int t = 0; t < 200; ++t) {
    single.plan(random, plan);
    const double x = random.uniform();
    single.learn(plan, reveal(plan, {x}), 2 * x, 1);
  }
  const auto one = single.newest_solution();
  PartialPrediction unknown(one, {0});
  CHECK(unknown.prediction() == doctest::Approx(1).epsilon(0.1));
  CHECK(unknown.variance() > 0.2);  // 4/12 in truth
  CHECK(unknown.variance() < 0.5);
  CHECK(predict(single, one, {0.25}, {0}, {0}).prediction() ==
        doctest::Approx(single.predict(std::vector<Entry>{{0, 0.25}})));
}

TEST_CASE("weights in a ball have moments as well") {
  for (const Ball ball : {Ball::kL1, Ball::kL2}) {
    LearnerOptions options = options_with(4, true);
    options.ball = ball;
    options.radius = 0.5;
    Pairwise learner(options);
    learn(learner, 500, 1);
    const auto solution = learner.newest_solution();
    const Eigen::MatrixXd sigma = matrix_of(learner, solution->moments);
    const Eigen::Map<const Eigen::VectorXd> w(solution->model.weights.data(), kDimension);
    CHECK(solution->moments.total == doctest::Approx(w.dot(sigma * w)).epsilon(1e-4));
    CHECK(solution->moments.noise > 0);
    CHECK(solution->moments.noise < 1.01 * learner.moments().label().variance());
  }
}

TEST_CASE("a learner without pairs: means and independence, from what its sampling rows know") {
  LearnerOptions options = options_of("aer", 3, 3);
  options.bias = true;
  options.radius = 5;
  const auto learner = make_learner(options).value();
  CHECK(learner->conditioning() == nullptr);
  Random random(1);
  Plan plan;
  for (int t = 0; t < 2000; ++t) {
    const std::vector<double> x = {random.uniform(), 2 + random.uniform(), 1.0};
    learner->plan(random, plan);
    learner->learn(plan, reveal(plan, x), x[0] + x[1], 1);
  }
  const auto solution = independent_solution(*learner);
  Model model;
  learner->model(model);
  PartialPrediction prediction(solution, {1});
  REQUIRE(prediction.add_known(1, 2.25, {}));
  const auto moment = [&](Attribute i) { return learner->sampling_row(i).moment; };
  CHECK(prediction.prediction() ==
        doctest::Approx(model.bias + model.weights[1] * 2.25 + model.weights[0] * moment(0).mean +
                        model.weights[2] * moment(2).mean));
  const double variance =
      std::pow(model.weights[0], 2) * (moment(0).second - moment(0).mean * moment(0).mean);
  CHECK(prediction.variance() == doctest::Approx(variance).epsilon(1e-6));
  const ProgressiveLoss::Part later = learner->progressive_loss().later();
  CHECK(solution->moments.noise == (later.mean > 0 ? later.mean : later.standard_error()));
}

TEST_CASE("the noise: a solution's word and that of the recent examples, by their precision") {
  ProgressiveLoss::Part recent;
  CHECK(error_variance(2, 0.3, recent) == 2);
  recent = {4, 3.0, 0};  // four times 3
  CHECK(error_variance(2, 0.3, recent) == 3);
  CHECK(error_variance(0, 0.3, recent) == 3);
  recent.squares = 0.36 * 12;  // a standard error of .6, as much as that of a noise of 2
  CHECK(error_variance(2, 0.3, recent) == doctest::Approx(2.5));
  recent.mean = -50;
  CHECK(error_variance(2, 0.3, recent) == doctest::Approx(0.2));
  CHECK(error_variance(0, 0.3, recent) == recent.standard_error());
}

}  // namespace conditioning_test
