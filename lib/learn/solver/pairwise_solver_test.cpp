#include "learn/solver/pairwise_solver.h"

#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <vector>

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
