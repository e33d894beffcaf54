#include "learn/pairwise/pairwise_solver.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

#include <Eigen/Dense>

#include "base/random.h"
#include "learn/covariance/attribute_units.h"
#include "learn/linalg/l1_ball.h"
#include "learn/linalg/l1_quadratic.h"

using namespace glimpse;

namespace {

constexpr std::size_t kDimension = 12;

// Correlated attributes with means, in units of their own; label 3 + ⟨w, x⟩ + noise, or noise alone.
struct Stream {
  explicit Stream(std::uint64_t seed) : random(seed) {}

  void next(bool signal) {
    double common = random.uniform() - 0.5;
    label = signal ? 3 : 0;
    for (std::size_t i = 0; i < kDimension; ++i) {
      x[i] = unit(i) * (2 + common + random.uniform());
      if (signal) label += weight(i) * x[i];
    }
    label += 0.1 * (random.uniform() - 0.5);
  }
  double unit(std::size_t i) const { return scale * std::pow(10, static_cast<double>(i % 5) - 2); }
  double weight(std::size_t i) const { return (i % 3 == 0 ? 1.0 : -0.5) / unit(i); }

  Random random;
  std::vector<double> x = std::vector<double>(kDimension);
  double label = 0;
  double scale = 1;
};

PairMoments learn_moments(Stream stream, int examples, std::size_t budget, bool signal = true) {
  PairMoments moments(kDimension);
  for (int e = 0; e < examples; ++e) {
    stream.next(signal);
    std::vector<Attribute> seen;
    std::vector<double> values;
    for (std::size_t i = 0; i < kDimension; ++i) {
      if (stream.random.uniform() * kDimension > static_cast<double>(budget)) continue;
      seen.push_back(static_cast<Attribute>(i));
      values.push_back(stream.x[i]);
    }
    moments.add(seen, values, stream.label, 1);
  }
  return moments;
}

PairSnapshot snapshot_of(const PairMoments& moments, bool bias = true) {
  PairSnapshot snapshot;
  snapshot.take(moments, bias);
  return snapshot;
}

PairSnapshot learn(Stream stream, int examples, std::size_t budget, bool signal = true, bool bias = true) {
  return snapshot_of(learn_moments(stream, examples, budget, signal), bias);
}

double loss(const Model& model, Stream stream, bool signal = true) {
  double sum = 0;
  for (int e = 0; e < 2000; ++e) {
    stream.next(signal);
    double prediction = model.bias;
    for (std::size_t i = 0; i < kDimension; ++i) prediction += model.weights[i] * stream.x[i];
    sum += (prediction - stream.label) * (prediction - stream.label);
  }
  return sum / 2000;
}

}  // namespace

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

TEST_CASE("a radius bounds the norm in the attributes' own units, and is reached when it binds") {
  PairwiseSolver solver;
  Model free;
  const PairSnapshot moments = learn(Stream(1), 20000, kDimension);
  solver.solve(moments, NormBall{Ball::kL2, 1e9}, free);
  const auto norm = [](const Model& model) {
    double sum = 0;
    for (const double w : model.weights) sum += w * w;
    return std::sqrt(sum);
  };
  Model bound;
  const PairwiseChoice choice = solver.solve(moments, NormBall{Ball::kL2, norm(free) / 3}, bound);
  CHECK(norm(bound) <= norm(free) / 3 * (1 + 1e-12));
  CHECK(norm(bound) == doctest::Approx(norm(free) / 3));
  CHECK(choice.ridge > 0);
}

TEST_CASE("an L1 ball bounds the sum of the weights, and its model is the best on it") {
  PairwiseSolver solver;
  Model free;
  const PairSnapshot moments = learn(Stream(1), 20000, kDimension);
  solver.solve(moments, NormBall{Ball::kL1, 1e9}, free);
  Model ridge;
  solver.solve(moments, NormBall{Ball::kL2, 1e9}, ridge);
  CHECK(free.weights == ridge.weights);  // a ball that holds them does not touch them

  double last = loss(free, Stream(2));
  for (const double share : {0.9, 0.5, 0.1, 1e-3}) {
    const double radius = share * l1_norm(free.weights);
    Model bound;
    solver.solve(moments, NormBall{Ball::kL1, radius}, bound);
    CHECK(l1_norm(bound.weights) <= radius);
    CHECK(l1_norm(bound.weights) == doctest::Approx(radius));
    const double now = loss(bound, Stream(2));
    CHECK(now > last);  // the true weights are those of the free solution
    last = now;
    // Shorter weights in their direction do worse.
    Model shorter = free;
    shorter.bias = moments.label_centre();
    for (std::size_t i = 0; i < kDimension; ++i) {
      shorter.weights[i] *= share;
      shorter.bias -= shorter.weights[i] * moments.centre(i);
    }
    CHECK(now < loss(shorter, Stream(2)));
  }
}

TEST_CASE("the model in an L1 ball is that of another solver on the same covariances") {
  // 12 attributes: the Krylov space is all of them, and with many whole examples Ĉ is positive definite.
  const PairSnapshot moments = learn(Stream(1), 5000, kDimension);
  PairwiseSolver solver;
  Model model;
  const double radius = 0.02;
  const PairwiseChoice choice = solver.solve(moments, NormBall{Ball::kL1, radius}, model);
  REQUIRE(choice.shrink == 1);
  double deviation = 0;
  for (std::size_t i = 0; i < kDimension; ++i)
    deviation = std::max(deviation, std::sqrt(moments[i].variance()));
  const double unit = std::exp2(std::floor(std::log2(deviation)) + 1);  // the solver's
  double squares = 0;
  double counts = 0;
  for (std::size_t i = 0; i < kDimension; ++i) {
    squares += moments[i].weight() * moments[i].variance();
    counts += moments[i].weight();
  }
  PackedSymmetric half(kDimension);
  std::vector<double> target(kDimension);
  for (std::size_t i = 0; i < kDimension; ++i) {
    const double n = moments[i].weight();
    const double variance = (n * moments[i].variance() + squares / counts / 2) / (n + 0.5);
    half.at(i, i) =
        variance * (1 + 1 / std::sqrt(effective_count(moments[i]))) / 2 + choice.ridge * unit * unit / 2;
    for (std::size_t j = i + 1; j < kDimension; ++j)
      half.at(i, j) = moments.co_moment(i, j) / (moments.weight(i, j) + 1) / 2;
    target[i] = (moments.label_co_moment(i, 0) + moments.label_co_moment(i, 1)) / (n + 1);
  }
  const L1Minimum slow = minimise_on_l1_ball(half, target, radius);
  REQUIRE(slow.stationary);
  REQUIRE(l1_norm(slow.w) == doctest::Approx(radius));
  for (std::size_t i = 0; i < kDimension; ++i)
    CHECK(model.weights[i] == doctest::Approx(slow.w[i]).epsilon(1e-3));
}

TEST_CASE("with a ball, units far from 1 are no trouble") {
  PairwiseSolver solver;
  Model model;
  Model scaled;
  for (const double scale : {0x1p-80, 0x1p80}) {
    Stream other(1);
    other.scale = scale;
    for (const Ball ball : {Ball::kL1, Ball::kL2}) {
      solver.solve(learn(Stream(1), 3000, 5), NormBall{ball, 1}, model);
      solver.solve(learn(other, 3000, 5), NormBall{ball, 1 / scale}, scaled);
      for (std::size_t i = 0; i < kDimension; ++i)
        CHECK(scaled.weights[i] * scale == doctest::Approx(model.weights[i]).epsilon(1e-4));
    }
  }
}

TEST_CASE("a solve that is not wanted any more ends without its products") {
  PairwiseSolver solver;
  Model model;
  int asked = 0;
  solver.solve(learn(Stream(1), 3000, 5), {}, model, [&] { return ++asked > 0; });
  CHECK(asked <= 2);
}

TEST_CASE("where there is nothing to learn it predicts little else than the mean, on average over streams") {
  PairwiseSolver solver;
  Model model;
  for (const int examples : {60, 250, 2000}) {
    double ratio = 0;
    constexpr int kStreams = 40;
    for (int s = 0; s < kStreams; ++s) {
      const PairSnapshot moments = learn(Stream(static_cast<std::uint64_t>(100 + s)), examples, 4, false);
      solver.solve(moments, {}, model);
      Model mean;
      mean.weights.assign(kDimension, 0.0);
      mean.bias = moments.label().mean();
      ratio += loss(model, Stream(7), false) / loss(mean, Stream(7), false) / kStreams;
    }
    CAPTURE(examples);
    CHECK(ratio < 1.02);
  }
}

TEST_CASE("two hundred examples open the gate where labels hang on attributes, and not where they do not") {
  PairwiseSolver solver;
  Model model;
  double open = 0;
  double shut = 0;
  constexpr int kStreams = 40;
  for (int s = 0; s < kStreams; ++s) {
    const auto seed = static_cast<std::uint64_t>(100 + s);
    open += solver.solve(learn(Stream(seed), 200, 4), {}, model).shrink / kStreams;
    shut += solver.solve(learn(Stream(seed), 200, 4, false), {}, model).shrink / kStreams;
  }
  CAPTURE(open);
  CAPTURE(shut);
  CHECK(open > 0.9);
  CHECK(shut < 0.15);
}

// Four of five attributes are seen in every example, the last in three alone; units as given.
PairMoments rarely_seen(const std::vector<double>& units) {
  PairMoments moments(5);
  Random random(3);
  for (int e = 0; e < 400; ++e) {
    std::vector<Attribute> seen;
    std::vector<double> values;
    double label = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      const double x = random.uniform() - 0.5;
      label += x;
      if (i == 4 && e % 150 != 0) continue;
      seen.push_back(static_cast<Attribute>(i));
      values.push_back(units[i] * x);
    }
    moments.add(seen, values, label, 1);
  }
  return moments;
}

TEST_CASE("an attribute seen three times counts for less where no other tells its unit") {
  PairwiseSolver solver;
  Model alike;
  Model apart;
  solver.solve(snapshot_of(rarely_seen({1, 1, 1, 1, 1})), {}, alike);
  solver.solve(snapshot_of(rarely_seen({1, 256, 65536, 1.0 / 256, 1})), {}, apart);
  CHECK(alike.weights[0] == doctest::Approx(1).epsilon(0.2));
  CHECK(apart.weights[0] == doctest::Approx(1).epsilon(0.2));
  CHECK(std::abs(apart.weights[4]) < 0.5 * std::abs(alike.weights[4]));
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

TEST_CASE("the noise level is that of the matrix V: by an eigen-decomposition") {
  const PairSnapshot moments = learn(Stream(1), 300, 4);
  const std::vector<double> units = balanced_units(moments.attributes()).units;
  double squares = 0;
  double counts = 0;
  Eigen::VectorXd sums(kDimension);
  for (std::size_t i = 0; i < kDimension; ++i) {
    sums[static_cast<Eigen::Index>(i)] = moments[i].weight() * moments[i].variance() / (units[i] * units[i]);
    squares += sums[static_cast<Eigen::Index>(i)];
    counts += moments[i].weight();
  }
  Eigen::MatrixXd v = Eigen::MatrixXd::Zero(kDimension, kDimension);
  double seen = 0;
  double all = 0;
  for (Eigen::Index i = 0; i < v.rows(); ++i)
    for (Eigen::Index j = 0; j < v.rows(); ++j) {
      if (i == j) continue;
      const auto a = static_cast<std::size_t>(std::min(i, j));
      const auto b = static_cast<std::size_t>(std::max(i, j));
      const double product =
          (sums[i] + squares / counts / 2) / (moments[static_cast<std::size_t>(i)].weight() + 0.5) *
          (sums[j] + squares / counts / 2) / (moments[static_cast<std::size_t>(j)].weight() + 0.5);
      const double count = moments.weight(a, b);
      const double most = std::max(moments[a].weight(), moments[b].weight()) + kDimension / 8.0;
      v(i, j) = product / (count + 1) * (1 - count / most);
      seen += product * count / (count + 1);
      all += product;
    }
  // Correlations of 1/2, which so few examples show to be larger than what would lower the level.
  const double factor = 1.2 - 0.45 * seen / all;
  const double largest = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(v).eigenvalues().maxCoeff();
  PairwiseSolver solver;
  Model model;
  CHECK(solver.solve(moments, {}, model).ridge == doctest::Approx(factor * std::sqrt(largest)).epsilon(1e-4));
}

TEST_CASE("attributes that were never seen change nothing of the model of the others") {
  for (const std::size_t budget : {std::size_t{12}, std::size_t{4}}) {
    PairMoments among_them(kDimension);
    PairMoments with_more(kDimension + 4);
    Stream stream(1);
    for (int e = 0; e < 300; ++e) {
      stream.next(true);
      std::vector<Attribute> seen;
      std::vector<double> values;
      for (std::size_t i = 0; i < kDimension; ++i) {
        if (stream.random.uniform() * kDimension > static_cast<double>(budget)) continue;
        seen.push_back(static_cast<Attribute>(i));
        values.push_back(stream.x[i]);
      }
      among_them.add(seen, values, stream.label, 1);
      with_more.add(seen, values, stream.label, 1);
    }
    PairwiseSolver solver;
    Model few;
    Model more;
    const PairwiseChoice choice = solver.solve(snapshot_of(among_them), {}, few);
    CHECK(solver.solve(snapshot_of(with_more), {}, more).ridge ==
          doctest::Approx(choice.ridge).epsilon(1e-4));
    for (std::size_t i = 0; i < kDimension; ++i)
      CHECK(more.weights[i] == doctest::Approx(few.weights[i]).epsilon(1e-3));
    for (std::size_t i = kDimension; i < more.weights.size(); ++i) CHECK(more.weights[i] == 0);
  }
}

TEST_CASE("the level falls where it is certain that attributes are not correlated, and not before") {
  const auto level = [](int examples, bool correlated) {
    PairMoments moments(30);
    Random random(11);
    std::vector<Attribute> all(30);
    for (std::size_t i = 0; i < 30; ++i) all[i] = static_cast<Attribute>(i);
    std::vector<double> x(30);
    for (int e = 0; e < examples; ++e) {
      const double common = correlated ? random.uniform() - 0.5 : 0;
      for (double& value : x) value = random.uniform() - 0.5 + 0.6 * common;
      moments.add(all, x, x[0], 1);
    }
    PairwiseSolver solver;
    Model model;
    // In a matrix of equal variances ‖V‖₂ is 29 times the variance of an entry; the common unit is 1/2.
    const double share = 3.75 / (examples + 3.75);  // of an entry's noise that is not that of b̂
    const double variance = std::pow(1.0 / 12 * (correlated ? 1.36 : 1) * 4, 2) / (examples + 1) * share;
    return solver.solve(snapshot_of(moments), NormBall{Ball::kL2, 1e9}, model).ridge /
           std::sqrt(29 * variance);
  };
  CHECK(level(5, false) > 0.55);  // .77 times what five examples say of variances
  CHECK(level(4000, false) == doctest::Approx(0.6 * 0.75).epsilon(0.05));
  CHECK(level(4000, true) == doctest::Approx(0.75).epsilon(0.05));
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
