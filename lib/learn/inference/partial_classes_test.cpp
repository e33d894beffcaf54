#include "learn/inference/partial_classes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include <Eigen/Dense>

#include "base/random.h"
#include "base/state.h"
#include "learn/classes/class_scores.h"
#include "learn/classes/discriminants.h"
#include "learn/factory.h"
#include "learn/inference/conditioning.h"
#include "learn/inference/incomplete_example.h"
#include "learn/inference/known_features.h"
#include "learn/inference/partial_prediction.h"
#include "learn/learner_test_support.h"

namespace glimpse::partial_classes_test {
namespace {

constexpr std::size_t kDim = 12;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::unique_ptr<Learner> classifier(const char* algorithm = "pairwise") {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = kDim;
  options.budget = 5;
  auto learner = make_learner(options, nullptr).value();
  learner->make_classifier();
  return learner;
}

// Attributes share a factor, which is not of the classes and hides them from each attribute alone.
struct Stream {
  explicit Stream(std::uint64_t seed, std::size_t classes = 4, double unit = 1)
      : random(seed), classes(classes), unit(unit) {}
  std::size_t next(std::vector<double>& x) {
    const auto noise = [&] { return random.uniform() + random.uniform() + random.uniform() - 1.5; };
    const std::size_t c = random.below(classes);
    const double factor = 1.5 * noise();
    x.resize(kDim);
    for (std::size_t i = 0; i < kDim; ++i)
      x[i] = unit * (3 + factor + 0.7 * noise() + (i % classes == c ? 0.8 : 0));
    return c;
  }
  Random random;
  std::size_t classes;
  double unit;
};

void learn(Learner& learner, Stream& stream, int examples) {
  Random random(1);
  Plan plan;
  std::vector<double> x;
  for (int n = 0; n < examples; ++n) {
    const auto c = static_cast<double>(stream.next(x));
    learner.plan(random, plan);
    learner.learn(plan, test::reveal(plan, x), c, 1);
  }
}

// Made known in their order, of a universe of these, and `others` behind them.
PartialClasses known_of(const Learner& learner, const std::shared_ptr<const Solution>& solution,
                        const std::vector<Attribute>& known, const std::vector<double>& x,
                        const std::vector<Attribute>& others = {}) {
  std::vector<Attribute> universe = known;
  universe.insert(universe.end(), others.begin(), others.end());
  std::vector<double> rows(known.size() * universe.size());
  learner.conditioning()->covariances(solution->moments, known, universe, rows);
  PartialClasses classes(solution, universe);
  for (std::size_t k = 0; k < known.size(); ++k)
    CHECK(classes.add_known(known[k], x[known[k]],
                            std::span<const double>(rows).subspan(k * universe.size(), universe.size())));
  return classes;
}

std::vector<double> scores_of(const PartialClasses& classes, std::size_t count) {
  std::vector<double> scores(count);
  classes.scores(scores);
  return scores;
}

std::vector<Attribute> all_attributes() {
  std::vector<Attribute> all(kDim);
  std::iota(all.begin(), all.end(), Attribute{0});
  return all;
}

std::vector<Entry> entries_of(const std::vector<double>& x) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < x.size(); ++i) entries.push_back({static_cast<Attribute>(i), x[i]});
  return entries;
}

void check_alike(const std::vector<double>& a, const std::vector<double>& b, double epsilon) {
  REQUIRE(a.size() == b.size());
  for (std::size_t c = 1; c < a.size(); ++c)
    CHECK(a[c] - a[0] == doctest::Approx(b[c] - b[0]).epsilon(epsilon));
}

// Solutions are made from copies whose covariances are floats, and rows come from the doubles: they differ by
// 2^-24, and the scores by that times the condition of Σ, some hundreds here.
constexpr double kOfFloats = 1e-4;

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
