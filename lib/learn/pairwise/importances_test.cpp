#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

#include "learn/factory.h"
#include "learn/solver/pairwise_solver.h"
#include "learn/solver/pairwise_solver_test_support.h"
#include "learn/turning_stream_test_support.h"

namespace importances_test {

using namespace glimpse;
using namespace glimpse::pairwise_solver_test;

namespace {

Importances importances_of(const PairSnapshot& moments, const std::optional<NormBall>& ball = std::nullopt) {
  PairwiseSolver solver;
  Model model;
  solver.solve(moments, ball, model);
  return solver.importances(moments, model);
}

LearnerOptions options_for(const std::string& algorithm, std::size_t budget) {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = test::kDimension;
  options.budget = budget;
  return options;
}

}  // namespace

TEST_CASE("importances are in units of the label's variance: no unit of the data matters") {
  Stream stream(1);
  const Importances one = importances_of(learn(stream, 2000, 6));
  stream.scale = 1024;
  const Importances other = importances_of(learn(stream, 2000, 6));
  for (std::size_t i = 0; i < pairwise_solver_test::kDimension; ++i) {
    CHECK(one.shares[i] == doctest::Approx(other.shares[i]).epsilon(1e-6));
    CHECK(one.errors[i] == doctest::Approx(other.errors[i]).epsilon(1e-6));
    CHECK(one.shares[i] >= 0);
  }
}

TEST_CASE("a constant attribute is worth nothing, and of one never seen nothing is known") {
  PairMoments moments(4);
  Random random(5);
  for (int e = 0; e < 500; ++e) {
    const double x = random.uniform();
    const double y = random.uniform();
    moments.add(std::vector<Attribute>{0, 1, 2}, std::vector<double>{x, y, 7}, x + y / 2, 1);
  }
  const Importances known = importances_of(snapshot_of(moments));
  CHECK(known.shares[0] > known.shares[1]);
  CHECK(known.shares[1] > 0);
  CHECK(known.shares[2] == 0);
  CHECK(std::isfinite(known.errors[2]));
  CHECK(std::isnan(known.shares[3]));
  CHECK(std::isnan(known.errors[3]));
}

TEST_CASE("a single attribute is worth what it explains") {
  PairMoments moments(1);
  Random random(6);
  double noise = 0;
  for (int e = 0; e < 20000; ++e) {
    const double x = random.uniform();
    noise = random.uniform();
    moments.add(std::vector<Attribute>{0}, std::vector<double>{x}, x + noise, 1);
  }
  const Importances known = importances_of(snapshot_of(moments));
  CHECK(std::abs(known.shares[0] - 0.5) < 4 * known.errors[0]);
  CHECK(known.errors[0] < 0.02);
}

TEST_CASE("without a label that varies there are none, and a closed gate leaves their errors open") {
  PairMoments moments(2);
  for (int e = 0; e < 50; ++e)
    moments.add(std::vector<Attribute>{0, 1}, std::vector<double>{e % 3 - 1.0, e % 2 - 0.5}, 4, 1);
  CHECK(importances_of(snapshot_of(moments)).shares.empty());

  const Importances noise = importances_of(learn(Stream(8), 60, 6, false));
  CHECK(*std::max_element(noise.shares.begin(), noise.shares.end()) < 0.1);
}

TEST_CASE("in a ball importances are numbers, and a weight that an L1 ball takes away is worth nothing") {
  const PairSnapshot moments = learn(Stream(9), 3000, 6);
  for (const Ball norm : {Ball::kL1, Ball::kL2}) {
    for (const double radius : {1e-3, 1.0, 1e6}) {
      PairwiseSolver solver;
      Model model;
      solver.solve(moments, NormBall{norm, radius}, model);
      const Importances known = solver.importances(moments, model);
      for (std::size_t i = 0; i < pairwise_solver_test::kDimension; ++i) {
        CHECK(known.shares[i] >= 0);
        CHECK(known.shares[i] < 1.5);
        CHECK(std::isfinite(known.errors[i]));
        if (model.weights[i] == 0) CHECK(known.shares[i] == 0);
      }
    }
  }
}

TEST_CASE("learners that keep pairs tell importances of the model they gave last, the others none") {
  for (const char* algorithm : {"pairwise", "pairwise-screened", "aerr"}) {
    CAPTURE(algorithm);
    auto learner = make_learner(options_for(algorithm, 5)).value();
    Random random(1);
    test::TurningStream stream(2);
    test::learn(*learner, random, stream, 1, 3000);
    const auto model = learner->shared_model();
    const auto known = learner->importances();
    CHECK((known != nullptr) == (learner->solving() != nullptr));
    if (known == nullptr) continue;
    for (std::size_t i = 0; i + 1 < test::kDimension; i += 2) {
      CHECK(known->shares[i] > 3 * known->shares[i + 1]);
      CHECK(known->shares[i] > known->errors[i]);
      CHECK(known->shares[i + 1] < 3 * known->errors[i + 1]);
    }
  }
}

TEST_CASE("while another model answers nothing is known of importances") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    auto learner = make_learner(options_for(algorithm, 5)).value();
    Random random(1);
    test::TurningStream stream(2);
    test::learn(*learner, random, stream, 1, 1000);
    test::learn(*learner, random, stream, -1, 900);
    const auto model = learner->shared_model();
    REQUIRE(learner->describe().guard.served != Served::kNewest);
    CHECK(learner->importances() == nullptr);
  }
}

TEST_CASE("screened attributes that are not in the model have no importance that is known") {
  LearnerOptions options = options_for("pairwise-screened", 5);
  options.active = 4;
  auto learner = make_learner(options).value();
  Random random(1);
  test::TurningStream stream(2);
  test::learn(*learner, random, stream, 1, 5000);
  const auto model = learner->shared_model();
  const auto known = learner->importances();
  REQUIRE(known != nullptr);
  for (std::size_t i = 0; i < test::kDimension; ++i)
    CHECK(std::isnan(known->shares[i]) == (model->weights[i] == 0));
}

}  // namespace importances_test
