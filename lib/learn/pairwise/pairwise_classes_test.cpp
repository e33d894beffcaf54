#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <vector>

#include "base/random.h"
#include "base/state.h"
#include "learn/classes/class_scores.h"
#include "learn/core/class_model.h"
#include "learn/factory.h"
#include "learn/learner_test_support.h"
#include "learn/pairwise/grown_state.h"

namespace glimpse::pairwise_classes_test {
namespace {

constexpr std::size_t kDim = 12;
constexpr std::size_t kClasses = 4;

std::unique_ptr<Learner> classifier(const char* algorithm = "pairwise", std::size_t budget = 4) {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = kDim;
  options.budget = budget;
  auto made_learner = make_learner(options, nullptr);
  auto learner = std::move(*made_learner);
  learner->make_classifier();
  return learner;
}

// Classes about means of their own, with units that differ by many powers of ten.
class Stream {
 public:
  explicit Stream(std::uint64_t seed, std::size_t classes = kClasses, double unit = 1)
      : random_(seed), classes_(classes), unit_(unit) {}
  std::size_t next(std::vector<double>& x) {
    const std::size_t c = random_.below(classes_);
    x.resize(kDim);
    for (std::size_t i = 0; i < kDim; ++i) {
      const double noise = random_.uniform() + random_.uniform() + random_.uniform() - 1.5;
      x[i] = unit_ * (noise + (i % classes_ == c ? 0.8 : 0));
    }
    return c;
  }

 private:
  Random random_;
  std::size_t classes_;
  double unit_;
};

void learn(Learner& learner, Random& random, Stream& stream, int examples) {
  Plan plan;
  std::vector<double> x;
  for (int n = 0; n < examples; ++n) {
    const auto c = static_cast<double>(stream.next(x));
    learner.plan(random, plan);
    learner.learn(plan, test::reveal(plan, x), c, 1);
  }
}

std::vector<Entry> entries_of(const std::vector<double>& x) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < x.size(); ++i) entries.push_back({static_cast<Attribute>(i), x[i]});
  return entries;
}

double error_of(const Learner& learner, Stream& stream, int examples = 2000) {
  int wrong = 0;
  std::vector<double> x;
  std::vector<double> scores(learner.classes().size());
  const auto model = learner.class_model();
  for (int n = 0; n < examples; ++n) {
    const std::size_t c = stream.next(x);
    learner.class_scores(model.get(), entries_of(x), scores);
    wrong += greatest(scores) != c ? 1 : 0;
  }
  return wrong / static_cast<double>(examples);
}

// All attributes of the screened learner are active here: screened_classes_test.cpp has the others.
constexpr const char* kBoth[] = {"pairwise", "pairwise-screened"};

void check_units(const char* algorithm) {
  for (const double unit : {1e-150, 1e-12, 1.0, 1e9}) {
    CAPTURE(unit);
    auto learner = classifier(algorithm);
    Random random(1);
    Stream stream(2, kClasses, unit);
    learn(*learner, random, stream, 8000);
    Stream test(3, kClasses, unit);
    CHECK(error_of(*learner, test) < 0.12);  // of all the same: 0.75
    CHECK(learner->classes().size() == kClasses);
  }
}

TEST_CASE("four classes are told apart from four of twelve attributes, in every unit") {
  for (const char* algorithm : kBoth) check_units(algorithm);
}

TEST_CASE("two classes have the model of their label, and a threshold of their own") {
  auto learner = classifier();
  LearnerOptions options = learner->options();
  auto made_regression = make_learner(options, nullptr);
  auto regression = std::move(*made_regression);
  Random random(1);
  Random same(1);
  Stream stream(2, 2);
  Stream again(2, 2);
  learn(*learner, random, stream, 3000);
  learn(*regression, same, again, 3000);
  Model model;
  Model number;
  learner->model(model);
  regression->model(number);
  for (std::size_t i = 0; i < kDim; ++i)
    CHECK(model.weights[i] == doctest::Approx(number.weights[i]).epsilon(1e-9));
  const auto scores = learner->class_model();
  REQUIRE(scores);
  REQUIRE(scores->classes() == 2);
  // The direction of a discriminant of two classes is that of least squares (Fisher).
  const double ratio = (scores->weights_of(0)[1] - scores->weights_of(0)[0]) / model.weights[0];
  for (std::size_t i = 1; i < kDim; ++i)
    CHECK((scores->weights_of(i)[1] - scores->weights_of(i)[0]) / model.weights[i] ==
          doctest::Approx(ratio).epsilon(1e-6));
}

TEST_CASE("the progressive loss is half of the squared errors of all indicators") {
  auto learner = classifier();
  Random random(1);
  Stream stream(2);
  learn(*learner, random, stream, 40000);
  const auto recent = learner->progressive_loss().recent();
  // Learners of one indicator each.
  double sum = 0;
  for (std::size_t c = 0; c < kClasses; ++c) {
    auto indicator = make_learner(learner->options(), nullptr).value();
    Random draws(10 + c);
    Stream same(2);
    Plan plan;
    std::vector<double> x;
    for (int n = 0; n < 40000; ++n) {
      const double label = same.next(x) == c ? 1 : 0;
      indicator->plan(draws, plan);
      indicator->learn(plan, test::reveal(plan, x), label, 1);
    }
    sum += indicator->progressive_loss().recent().mean / 2;
  }
  CHECK(recent.mean == doctest::Approx(sum).epsilon(0.05));
  CHECK(recent.mean < learner->label_variance());
  CHECK(learner->label_variance() == doctest::Approx(0.375).epsilon(0.01));  // ½(1 − 4/16)
}

void check_state(const char* algorithm) {
  for (const int before : {40, 700, 5000}) {
    CAPTURE(before);
    auto learner = classifier(algorithm);
    Random random(1);
    Stream stream(2);
    learn(*learner, random, stream, before);
    State state;
    state.begin();
    learner->save(state);
    state.finish();
    auto made_restored = make_learner(learner->options(), nullptr);
    auto restored = std::move(*made_restored);
    REQUIRE(restored->restore(state).has_value());
    CHECK(restored->is_classifier());
    Random same = random;
    Stream copy = stream;
    learn(*learner, random, stream, 3000);
    learn(*restored, same, copy, 3000);
    State one;
    State other;
    one.begin();
    learner->save(one);
    one.finish();
    other.begin();
    restored->save(other);
    other.finish();
    REQUIRE(one.tensors().size() == other.tensors().size());
    for (std::size_t t = 0; t < one.tensors().size(); ++t)
      CHECK(std::ranges::equal(one.tensors()[t].bytes, other.tensors()[t].bytes));
    const auto a = learner->class_model();
    const auto b = restored->class_model();
    CHECK(a->weights == b->weights);
    CHECK(a->biases == b->biases);
  }
}

TEST_CASE("a classifier comes back from its state and goes on to the bit") {
  for (const char* algorithm : kBoth) check_state(algorithm);
}

TEST_CASE("a class may come late") {
  auto learner = classifier();
  Random random(1);
  Stream two(2, 2);
  learn(*learner, random, two, 3000);
  std::vector<double> scores(kClasses);
  std::vector<double> x(kDim);
  learner->class_scores(learner->class_model().get(), entries_of(x), scores);
  CHECK(scores[3] == kNoScore);
  Stream all(5);
  learn(*learner, random, all, 20000);
  REQUIRE(learner->classes().size() == kClasses);
  Stream test(3);
  CHECK(error_of(*learner, test) < 0.2);
}

TEST_CASE("codes that are no class are not learned from") {
  auto learner = classifier();
  Random random(1);
  Plan plan;
  const std::vector<double> x(kDim, 1.0);
  for (const double code : {-1.0, 0.5, 1e9, static_cast<double>(NAN)}) {
    learner->plan(random, plan);
    CHECK(learner->learn(plan, test::reveal(plan, x), code, 1) == Outcome::kOutOfRange);
  }
  CHECK(learner->classes().size() == 0);
}

TEST_CASE("noise is predicted by how often classes came") {
  auto learner = classifier();
  Random random(1);
  Random source(8);
  Plan plan;
  std::vector<double> x(kDim);
  for (int n = 0; n < 4000; ++n) {
    for (double& value : x) value = source.uniform();
    learner->plan(random, plan);
    const std::size_t draw = source.below(10);
    learner->learn(plan, test::reveal(plan, x), draw < 7 ? 0 : draw < 9 ? 1 : 2, 1);
  }
  std::vector<double> p(3);
  learner->class_scores(learner->class_model().get(), entries_of(x), p);
  to_probabilities(1, p);
  CHECK(p[0] == doctest::Approx(0.7).epsilon(0.1));
  CHECK(p[2] == doctest::Approx(0.1).epsilon(0.3));
}

TEST_CASE("learners without sums of classes know two, and refuse a third") {
  auto learner = classifier("two-phase-ddaerr");
  Random random(1);
  Stream stream(2, 2);
  learn(*learner, random, stream, 20000);
  Stream test(3, 2);
  CHECK(error_of(*learner, test) < 0.25);
  Plan plan;
  learner->plan(random, plan);
  CHECK(learner->learn(plan, test::reveal(plan, std::vector<double>(kDim)), 2, 1) == Outcome::kOutOfRange);
  std::vector<double> scores(2);
  learner->judged_class_scores(entries_of(std::vector<double>(kDim, 1)), scores);
  CHECK(std::isfinite(scores[1]));
}

TEST_CASE("a classifier takes more attributes") {
  const char* algorithm = kBoth[0];
  SUBCASE("pairwise") {}
  SUBCASE("screened") { algorithm = kBoth[1]; }
  auto learner = classifier(algorithm);
  Random random(1);
  Stream stream(2);
  learn(*learner, random, stream, 5000);
  State state;
  state.begin();
  learner->save(state);
  state.finish();
  const auto grown = with_more_attributes(state, kDim + 3, kDim + 3);
  REQUIRE(grown.has_value());
  LearnerOptions options = learner->options();
  options.dimension = kDim + 3;
  auto more = make_learner(options, nullptr).value();
  REQUIRE(more->restore(*grown).has_value());
  Stream test(3);
  Stream same(3);
  CHECK(error_of(*more, test) == error_of(*learner, same));
}

TEST_CASE("learners that step take classes as -1 and 1") {
  auto learner = classifier("two-phase-ddaerr");
  CHECK_FALSE(learner->learns_classes());
  Random random(1);
  Stream stream(2, 2);
  learn(*learner, random, stream, 100);
  CHECK(learner->labels().min() == -1);
  CHECK(learner->labels().max() == 1);
}

}  // namespace
}  // namespace glimpse::pairwise_classes_test
