// Which attribute a classifier gains most from, and words among what is known.

#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <numeric>
#include <vector>

#include <Eigen/Dense>

#include "base/random.h"
#include "learn/classes/class_scores.h"
#include "learn/inference/conditioning.h"
#include "learn/inference/incomplete_example.h"
#include "learn/inference/partial_classes_test_support.h"
#include "learn/inference/partial_prediction.h"
#include "learn/learner_test_support.h"

namespace glimpse::partial_classes_test {
namespace {

TEST_CASE("the next attribute is the one that all indicators gain most from") {
  auto learner = classifier();
  Stream stream(2);
  learn(*learner, stream, 5000);
  const auto solution = learner->conditioning()->newest_solution();
  const ClassMoments& classes = *solution->class_moments;
  const std::vector<Attribute> known{1, 4, 5};
  const std::vector<Attribute> others{0, 2, 3, 6, 7, 8, 9, 10, 11};
  std::vector<double> x;
  stream.next(x);
  const PartialClasses partial = known_of(*learner, solution, known, x, others);
  // By Σ of all, as far as it goes: what the indicators' variances given the known fall by.
  Eigen::MatrixXd sigma(kDim, kDim);
  learner->conditioning()->covariances(solution->moments, all_attributes(), all_attributes(),
                                       std::span(sigma.data(), static_cast<std::size_t>(sigma.size())));
  const auto explained = [&](const std::vector<Attribute>& by) {
    const std::vector<Eigen::Index> at(by.begin(), by.end());
    const auto llt = Eigen::MatrixXd(sigma(at, at)).llt();
    double sum = 0;
    for (std::size_t c = 0; c < classes.classes(); ++c) {
      const Eigen::VectorXd target =
          Eigen::Map<const Eigen::VectorXd>(classes.targets.data() + c * kDim, kDim)(at);
      sum += target.dot(llt.solve(target)) / 2;
    }
    return sum;
  };
  double best = 0;
  Attribute which = 0;
  for (const Attribute i : others) {
    std::vector<Attribute> more = known;
    more.push_back(i);
    const double gain = explained(more) - explained(known);
    if (gain > best) which = i;
    best = std::max(best, gain);
    const auto choice = partial.best_next([i](Attribute j) { return i == j ? 1 : HUGE_VAL; });
    REQUIRE(choice);
    CHECK(choice->gain == doctest::Approx(gain).epsilon(1e-6));
  }
  const auto choice = partial.best_next([](Attribute) { return 1.0; });
  REQUIRE(choice);
  CHECK(choice->attribute == which);
  // What is supposed to be known changes what is left to gain, and no score.
  PartialClasses supposed = partial;
  std::vector<Attribute> universe(partial.universe().begin(), partial.universe().end());
  std::vector<double> row(universe.size());
  const Attribute chosen[] = {which};
  learner->conditioning()->covariances(solution->moments, chosen, universe, row);
  CHECK(supposed.suppose_known(which, row));
  CHECK(!supposed.suppose_known(which, row));
  CHECK(!supposed.add_known(others[0] == which ? others[1] : others[0], 1, row));
  CHECK(scores_of(supposed, 4) == scores_of(partial, 4));
  const auto second = supposed.best_next([](Attribute) { return 1.0; });
  REQUIRE(second);
  CHECK(second->attribute != which);
  std::vector<Attribute> with = known;
  with.push_back(which);
  std::vector<Attribute> both = with;
  both.push_back(second->attribute);
  CHECK(second->gain == doctest::Approx(explained(both) - explained(with)).epsilon(1e-6));
}

TEST_CASE("of two classes the gain is that of their label") {
  auto learner = classifier();
  Stream stream(2, 2);
  learn(*learner, stream, 5000);
  const auto solution = learner->conditioning()->newest_solution();
  const PartialClasses classes(solution, all_attributes());
  const PartialPrediction prediction(solution, all_attributes());
  const auto cost = [](Attribute i) { return 1.0 + i; };
  const auto choice = classes.best_next(cost);
  REQUIRE(choice);
  CHECK(choice->attribute == prediction.best_next(cost)->attribute);
  CHECK(choice->gain == doctest::Approx(prediction.best_next(cost)->gain).epsilon(1e-9));
}

TEST_CASE("words are known as numbers are") {
  auto learner = classifier();
  learner->make_category(2);
  Stream stream(2, 3);
  Random random(1);
  Random words(5);
  Plan plan;
  std::vector<double> x;
  const auto next = [&] {
    const std::size_t c = stream.next(x);
    x[2] = static_cast<double>(words.uniform() < 0.7 ? c : words.below(3));
    return c;
  };
  for (int n = 0; n < 5000; ++n) {
    const auto c = static_cast<double>(next());
    learner->plan(random, plan);
    learner->learn(plan, test::reveal(plan, x), c, 1);
  }
  const auto basis = prediction_basis(*learner);
  REQUIRE(basis->class_moments);
  IncompleteExamples incomplete;
  std::vector<double> scores(3);
  std::vector<double> expected(3);
  next();
  incomplete.class_scores(*learner, entries_of(x), basis, scores);
  learner->class_scores(basis->classes.get(), entries_of(x), expected);
  CHECK(scores == expected);
  for (std::size_t c = 0; c < 3; ++c) {
    std::vector<double> only(kDim, kNaN);
    only[2] = static_cast<double>(c);
    incomplete.class_scores(*learner, entries_of(only), basis, scores);
    CHECK(greatest(scores) == c);
  }
}

}  // namespace
}  // namespace glimpse::partial_classes_test
