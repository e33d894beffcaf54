#include "learn/inference/partial_classes.h"

#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <numeric>
#include <vector>

#include <Eigen/Dense>

#include "base/random.h"
#include "base/state.h"
#include "learn/classes/class_scores.h"
#include "learn/classes/discriminants.h"
#include "learn/inference/conditioning.h"
#include "learn/inference/incomplete_example.h"
#include "learn/inference/partial_classes_test_support.h"
#include "learn/learner_test_support.h"

namespace glimpse::partial_classes_test {
namespace {

TEST_CASE("with all attributes known the scores are those of the classifier, in every unit") {
  for (const double unit : {1e-150, 1e-9, 1.0, 1e12}) {
    CAPTURE(unit);
    for (const std::size_t classes : {2, 4}) {
      auto learner = classifier();
      Stream stream(2, classes, unit);
      learn(*learner, stream, 4000);
      const auto solution = learner->conditioning()->newest_solution();
      std::vector<double> x;
      for (int n = 0; n < 5; ++n) {
        stream.next(x);
        std::vector<double> scores(classes);
        learner->class_scores(solution->classes.get(), entries_of(x), scores);
        check_alike(scores_of(known_of(*learner, solution, all_attributes(), x), classes), scores, kOfFloats);
      }
    }
  }
}

TEST_CASE("with nothing known the scores are those of how often classes came") {
  auto learner = classifier();
  Stream stream(2);
  learn(*learner, stream, 1000);
  const auto solution = learner->conditioning()->newest_solution();
  const ClassModel priors = class_priors(solution->class_moments->counts);
  CHECK(scores_of(PartialClasses(solution, {}), 4) == priors.biases);
  const std::vector<double> more = scores_of(PartialClasses(solution, all_attributes()), 5);
  CHECK(std::equal(priors.biases.begin(), priors.biases.end(), more.begin()));
  CHECK(more[4] == kNoScore);  // a class that came later
}

TEST_CASE("the scores are linear discriminant analysis of the known attributes, in any order") {
  auto learner = classifier();
  Stream stream(2);
  learn(*learner, stream, 3000);
  const auto solution = learner->conditioning()->newest_solution();
  const ClassMoments& classes = *solution->class_moments;
  const std::vector<Attribute> known{1, 4, 5, 7, 10};
  const auto n = static_cast<Eigen::Index>(known.size());
  Eigen::MatrixXd sigma(n, n);
  learner->conditioning()->covariances(solution->moments, known, known,
                                       std::span(sigma.data(), static_cast<std::size_t>(sigma.size())));
  ClassTargets targets;
  targets.counts = classes.counts;
  double g = 0;
  double squares = 0;
  for (const Attribute i : known) {
    targets.centres.push_back(solution->moments.means[i]);
    g += classes.leverages[i];
    squares += classes.leverages[i] * classes.leverages[i];
  }
  CHECK(g > 0);
  targets.in_sample = g + 3 * squares / g;
  const auto llt = sigma.llt();
  REQUIRE(llt.info() == Eigen::Success);
  for (std::size_t c = 0; c < 4; ++c) {
    Eigen::VectorXd target(n);
    for (Eigen::Index k = 0; k < n; ++k) {
      const Attribute i = known[static_cast<std::size_t>(k)];
      target[k] = classes.targets[c * kDim + i];
      targets.covariances.push_back(classes.covariances[c * kDim + i]);
    }
    const Eigen::VectorXd w = llt.solve(target);
    targets.weights.insert(targets.weights.end(), w.begin(), w.end());
  }
  const ClassModel model = discriminants(targets);
  std::vector<double> x;
  stream.next(x);
  std::vector<double> expected = model.biases;
  for (std::size_t k = 0; k < known.size(); ++k)
    for (std::size_t c = 0; c < 4; ++c)
      expected[c] += model.weights_of(k)[c] * solution->inward(known[k], x[known[k]]);
  check_alike(scores_of(known_of(*learner, solution, known, x), 4), expected, 1e-9);
  std::vector<Attribute> turned(known.rbegin(), known.rend());
  check_alike(scores_of(known_of(*learner, solution, turned, x, {0, 2}), 4), expected, 1e-9);
}

struct Errors {
  int partial = 0;
  int means = 0;
};

// Of 1,000 examples of which every other attribute is known.
Errors errors_of(const Learner& learner, Stream& stream) {
  IncompleteExamples incomplete;
  Errors errors;
  const auto basis = prediction_basis(learner);
  std::vector<double> x;
  std::vector<double> scores(stream.classes);
  for (int n = 0; n < 1000; ++n) {
    const std::size_t c = stream.next(x);
    for (std::size_t i = 0; i < kDim; ++i)
      if ((i / 4 + static_cast<std::size_t>(n)) % 2 == 0) x[i] = kNaN;
    incomplete.class_scores(learner, entries_of(x), basis, scores);
    errors.partial += greatest(scores) != c ? 1 : 0;
    if (n < 20) {  // the same attributes again: the same scores again, to the bit
      std::vector<double> again(stream.classes);
      IncompleteExamples().class_scores(learner, entries_of(x), basis, again);
      CHECK(scores == again);
    }
    learner.class_scores(basis->classes.get(), entries_of(x), scores);
    errors.means += greatest(scores) != c ? 1 : 0;
  }
  return errors;
}

TEST_CASE("what is not known is told from what is known") {
  auto learner = classifier();
  Stream stream(2);
  learn(*learner, stream, 20000);
  const Errors errors = errors_of(*learner, stream);
  CHECK(errors.partial < 0.9 * errors.means);
  CHECK(errors.partial < 500);
}

TEST_CASE("where no value is missing, or the learner keeps no pairs, answers are those of class_scores()") {
  for (const char* algorithm : {"pairwise", "pairwise-screened", "two-phase-ddaerr"}) {
    CAPTURE(algorithm);
    auto learner = classifier(algorithm);
    const std::size_t classes = learner->learns_classes() ? 4 : 2;
    Stream stream(2, classes);
    learn(*learner, stream, 3000);
    const auto basis = prediction_basis(*learner);
    IncompleteExamples incomplete;
    std::vector<double> x;
    stream.next(x);
    std::vector<double> scores(classes);
    std::vector<double> expected(classes);
    const auto check = [&] {
      incomplete.class_scores(*learner, entries_of(x), basis, scores);
      learner->class_scores(basis->classes.get(), entries_of(x), expected);
      if (basis->classes)
        CHECK(scores == expected);
      else
        check_alike(scores, expected, 1e-9);
    };
    check();
    if (learner->conditioning() != nullptr) continue;
    x[3] = kNaN;
    check();
    if (!basis->classes) continue;
    // The same where somebody else asks.
    PartialClasses partial(basis, all_attributes());
    for (std::size_t i = 0; i < kDim; ++i)
      CHECK(partial.add_known(static_cast<Attribute>(i), x[i], {}) == (i != 3));
    check_alike(scores_of(partial, classes), expected, 1e-9);
    CHECK(!partial.best_next([](Attribute) { return 1.0; }));
  }
}

TEST_CASE("held-out examples are scored by the model that judges, also after a restart") {
  auto learner = classifier();
  Stream stream(2);
  std::vector<double> x;
  learn(*learner, stream, 10);
  CHECK(learner->judged_basis() == nullptr);
  learn(*learner, stream, 5000);
  State state;
  state.begin();
  learner->save(state);
  state.finish();
  auto restored = make_learner(learner->options(), nullptr).value();
  REQUIRE(restored->restore(state).has_value());
  IncompleteExamples incomplete;
  stream.next(x);
  const auto basis = learner->judged_basis();
  REQUIRE(basis);
  REQUIRE(basis->class_moments);
  std::vector<double> scores(4);
  std::vector<double> judged(4);
  incomplete.class_scores(*learner, entries_of(x), basis, scores);
  learner->judged_class_scores(entries_of(x), judged);
  check_alike(scores, judged, 1e-9);
  x[1] = x[5] = kNaN;
  incomplete.class_scores(*learner, entries_of(x), basis, scores);
  learner->judged_class_scores(entries_of(x), judged);
  CHECK(scores != judged);  // which has their means
  std::vector<double> again(4);
  incomplete.class_scores(*restored, entries_of(x), restored->judged_basis(), again);
  CHECK(again == scores);
}

TEST_CASE("a solution that serves the mean has the shares of the classes whatever is known") {
  auto learner = classifier();
  Stream stream(2);
  learn(*learner, stream, 1000);
  auto solution = std::make_shared<Solution>(*learner->conditioning()->newest_solution());
  const ClassModel priors = class_priors(solution->class_moments->counts);
  solution->classes = std::make_shared<ClassModel>(priors);
  solution->class_moments.reset();
  std::vector<double> x;
  stream.next(x);
  CHECK(scores_of(known_of(*learner, solution, all_attributes(), x), 4) == priors.biases);
}

}  // namespace
}  // namespace glimpse::partial_classes_test
