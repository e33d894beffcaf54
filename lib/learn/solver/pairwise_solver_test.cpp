#include "learn/solver/pairwise_solver.h"

#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <vector>

#include <Eigen/Dense>

#include "learn/solver/pairwise_solver_test_support.h"

namespace pairwise_solver_test {

using namespace glimpse;
using namespace glimpse::pairwise_solver_test;

TEST_CASE("whole examples, many of them: the weights that made the labels") {
  PairwiseSolver solver;
  Model model;
  const PairwiseChoice choice = solver.solve(learn(Stream(1), 100000, kDimension), {}, model);
  CHECK(choice.shrink == 1);
  const Stream stream(1);
  for (std::size_t i = 0; i < kDimension; ++i)
    CHECK(model.weights[i] * stream.unit(i) ==
          doctest::Approx(stream.weight(i) * stream.unit(i)).epsilon(0.1));
  CHECK(loss(model, Stream(2)) < 0.0015);  // the noise's variance is .00083
}

namespace {

// The label is the difference of two attributes of correlation .96 and noise; eight more are noise.
void add_contrast(PairMoments& moments, int examples, Random& random) {
  const auto number = [&] { return std::sqrt(12) * (random.uniform() - 0.5); };
  std::vector<Attribute> seen(moments.dimension());
  for (std::size_t i = 0; i < seen.size(); ++i) seen[i] = static_cast<Attribute>(i);
  std::vector<double> x(seen.size());
  for (int e = 0; e < examples; ++e) {
    for (double& value : x) value = number();
    const double difference = 0.3 * number();
    x[1] = x[0] + difference;
    moments.add(seen, x, 7 + difference / 0.3 + 0.5 * number(), 1);
  }
}

}  // namespace

TEST_CASE("where all was seen it is ridge regression of standardised attributes, and nothing is cut off") {
  Random random(1);
  PairMoments moments(10);
  add_contrast(moments, 200, random);
  const PairSnapshot snapshot = snapshot_of(moments);
  PairwiseSolver solver;
  Model model;
  const PairwiseChoice choice = solver.solve(snapshot, {}, model);
  CHECK(choice.shrink == 1);
  Eigen::MatrixXd correlations = Eigen::MatrixXd::Identity(10, 10) * (1 + choice.ridge);
  Eigen::VectorXd target(10);
  const auto deviation = [&](std::size_t i) { return std::sqrt(snapshot[i].variance()); };
  for (std::size_t i = 0; i < 10; ++i) {
    target[static_cast<Eigen::Index>(i)] =
        (snapshot.label_co_moment(i, 0) + snapshot.label_co_moment(i, 1)) / (200 * deviation(i));
    for (std::size_t j = i + 1; j < 10; ++j)
      correlations(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          correlations(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i)) =
              snapshot.co_moment(i, j) / (200 * deviation(i) * deviation(j));
  }
  const Eigen::VectorXd weights = correlations.llt().solve(target);
  for (std::size_t i = 0; i < 10; ++i)
    CHECK(model.weights[i] * deviation(i) ==
          doctest::Approx(weights[static_cast<Eigen::Index>(i)]).epsilon(1e-4));
}

TEST_CASE(
    "where all was seen a small difference of two attributes that are nearly alike is learned at once") {
  Random random(2);
  PairMoments moments(10);
  add_contrast(moments, 250, random);
  PairwiseSolver solver;
  Model model;
  solver.solve(snapshot_of(moments), {}, model);
  CHECK(-model.weights[0] == doctest::Approx(1 / 0.3).epsilon(0.1));
  CHECK(model.weights[1] == doctest::Approx(1 / 0.3).epsilon(0.1));
}

TEST_CASE("where all was seen the standard errors are those of least squares, up to what the ridge knows") {
  Random random(3);
  PairMoments moments(10);
  add_contrast(moments, 4000, random);
  const PairSnapshot snapshot = snapshot_of(moments);
  PairwiseSolver solver;
  Model model;
  solver.solve(snapshot, {}, model);
  const std::vector<double> errors = solver.weight_errors(snapshot);
  // The label's noise is of deviation .5. Given the other attribute one of the two has a deviation of about
  // .3.
  CHECK(errors[1] == doctest::Approx(0.5 / 0.3 / std::sqrt(4000)).epsilon(0.05));
  CHECK(errors[5] == doctest::Approx(0.5 / std::sqrt(4000)).epsilon(0.05));
}

TEST_CASE("where all was seen and the label is noise hardly anything but its mean is predicted") {
  PairwiseSolver solver;
  Model model;
  double ratio = 0;
  constexpr int kStreams = 40;
  for (int s = 0; s < kStreams; ++s) {
    const PairSnapshot moments = learn(Stream(static_cast<std::uint64_t>(100 + s)), 60, kDimension, false);
    solver.solve(moments, {}, model);
    Model mean;
    mean.weights.assign(kDimension, 0.0);
    mean.bias = moments.label().mean();
    ratio += loss(model, Stream(7), false) / loss(mean, Stream(7), false) / kStreams;
  }
  CHECK(ratio < 1.03);
}

TEST_CASE("four attributes of twelve: close to what whole examples give") {
  PairwiseSolver solver;
  Model model;
  solver.solve(learn(Stream(1), 30000, 4), {}, model);
  Model mean;
  mean.weights.assign(kDimension, 0.0);
  mean.bias = learn(Stream(1), 30000, 4).label().mean();
  CHECK(loss(model, Stream(2)) < 0.05 * loss(mean, Stream(2)));
}

TEST_CASE("predictions do not depend on the attributes' units") {
  PairwiseSolver solver;
  Model model;
  Model scaled;
  Stream other(1);
  other.scale = 1024;
  solver.solve(learn(Stream(1), 3000, 5), {}, model);
  solver.solve(learn(other, 3000, 5), {}, scaled);
  for (std::size_t i = 0; i < kDimension; ++i)
    CHECK(scaled.weights[i] * 1024 == doctest::Approx(model.weights[i]).epsilon(1e-4));
  CHECK(scaled.bias == doctest::Approx(model.bias).epsilon(1e-4));
}

TEST_CASE("without a bias the moments about 0 count, and the model goes through the origin") {
  PairwiseSolver solver;
  Model model;
  solver.solve(learn(Stream(1), 50000, kDimension, true, false), {}, model);
  CHECK(model.bias == 0);
  Model with_bias;
  solver.solve(learn(Stream(1), 50000, kDimension), {}, with_bias);
  CHECK(loss(with_bias, Stream(2)) < loss(model, Stream(2)));
  Model zero;
  zero.weights.assign(kDimension, 0.0);
  CHECK(loss(model, Stream(2)) < 0.05 * loss(zero, Stream(2)));
}

TEST_CASE("a solve that is not wanted any more ends without its products") {
  PairwiseSolver solver;
  Model model;
  int asked = 0;
  solver.solve(learn(Stream(1), 3000, 5), {}, model, [&] { return ++asked > 0; });
  CHECK(asked <= 2);
}

TEST_CASE("the model is a function of the moments: the same bits again, also after other work") {
  PairwiseSolver solver;
  Model first;
  Model between;
  Model second;
  const PairSnapshot moments = learn(Stream(1), 500, 4);
  solver.solve(moments, {}, first);
  solver.solve(learn(Stream(5), 300, 6), {}, between);
  solver.solve(moments, {}, second);
  CHECK(first.weights == second.weights);
  CHECK(first.bias == second.bias);
}

TEST_CASE("no examples, one example, constant attributes and one attribute are no trouble") {
  PairwiseSolver solver;
  Model model;
  solver.solve(snapshot_of(PairMoments(3)), {}, model);
  CHECK(model.weights == std::vector<double>{0, 0, 0});
  CHECK(model.bias == 0);
  PairMoments one(3);
  one.add(std::vector<Attribute>{0, 2}, std::vector<double>{4, 5}, 2.5, 1);
  solver.solve(snapshot_of(one), {}, model);
  CHECK(model.weights == std::vector<double>{0, 0, 0});
  CHECK(model.bias == 2.5);
  for (int i = 0; i < 10; ++i)
    one.add(std::vector<Attribute>{0, 1, 2}, std::vector<double>{4, 0, 5}, i % 2, 1);
  solver.solve(snapshot_of(one), {}, model);
  for (const double w : model.weights) CHECK(std::isfinite(w));
  PairMoments single(1);
  for (int i = 0; i < 100; ++i)
    single.add(std::vector<Attribute>{0}, std::vector<double>{static_cast<double>(i % 7)}, 2.0 * (i % 7), 1);
  solver.solve(snapshot_of(single), {}, model);
  CHECK(model.weights[0] == doctest::Approx(2).epsilon(0.2));
}

}  // namespace pairwise_solver_test
