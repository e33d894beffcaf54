#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>

#include "learn/inference/incomplete_example.h"
#include "learn/learner_test_support.h"
#include "learn/pairwise/pairwise.h"

namespace pairwise_categories_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

LearnerOptions options_of_four(std::size_t budget) {
  LearnerOptions options = options_of("pairwise", 4, budget);
  options.bias = true;
  return options;
}

// Attributes 0 and 3 are numbers, 1 has 3 categories and 2 has 20. y = x_0 + f(x_1) + g(x_2).
struct Stream {
  Random random{7};
  std::vector<double> x{0, 0, 0, 0};
  double label = 0;

  void next() {
    x[0] = random.uniform();
    x[1] = static_cast<double>(random.below(3));
    x[2] = static_cast<double>(random.below(20));
    x[3] = random.uniform();
    label = x[0] + (x[1] == 1 ? 2 : 0) + (x[2] == 4 ? -3 : 0) + 0.1 * random.uniform();
  }
};

void teach(Pairwise& learner, Stream& stream, Random& random, int examples) {
  Plan plan;
  for (int t = 0; t < examples; ++t) {
    stream.next();
    learner.plan(random, plan);
    REQUIRE(plan.attributes.size() == learner.options().budget);
    REQUIRE(learner.learn(plan, reveal(plan, stream.x), stream.label, 1) == Outcome::kLearned);
  }
}

void make_categories(Pairwise& learner) {
  learner.make_category(1);
  learner.make_category(2);
}

double error_of(Pairwise& learner, Stream& stream) {
  double sum = 0;
  for (int t = 0; t < 500; ++t) {
    stream.next();
    std::vector<Entry> entries;
    for (Attribute i = 0; i < 4; ++i) entries.push_back({i, stream.x[i]});
    const double error = learner.predict(entries) - stream.label;
    sum += error * error / 500;
  }
  return sum;
}

std::vector<std::byte> bytes_of(const Learner& learner) {
  State state;
  state.begin();
  learner.save(state);
  state.finish();
  std::vector<std::byte> bytes;
  for (const Tensor& tensor : state.tensors())
    bytes.insert(bytes.end(), tensor.bytes.begin(), tensor.bytes.end());
  return bytes;
}

}  // namespace

TEST_CASE("categories are learned from two looks an example, and count as one look each") {
  Pairwise learner(options_of_four(2));
  make_categories(learner);
  Stream stream;
  Random random(1);
  teach(learner, stream, random, 6000);
  CHECK(learner.counts().attributes_revealed == 12000);
  CHECK(learner.features().slots() == 4 + 3 + 20);
  // The labels' variance is 1.4; what is left is noise and what 6,000 examples do not tell.
  CHECK(error_of(learner, stream) < 0.05);
  const SamplingRow row = learner.sampling_row(2);
  CHECK(row.moment.count > 1000);
  CHECK(std::isnan(row.moment.mean));
  CHECK(learner.sampling_row(2).probability > learner.sampling_row(3).probability);
}

TEST_CASE("a learner with categories goes on from its state bit for bit, also amid new categories") {
  Pairwise first(options_of_four(2));
  make_categories(first);
  Stream stream;
  Random random(1);
  teach(first, stream, random, 7);
  const std::size_t slots = first.features().slots();
  CHECK(slots > 4);
  CHECK(slots < 27);
  State state;
  state.begin();
  first.save(state);
  state.finish();
  Pairwise second(options_of_four(2));
  REQUIRE(second.restore(state).has_value());
  Stream again = stream;
  Random random_again = random;
  teach(first, stream, random, 900);
  teach(second, again, random_again, 900);
  CHECK(bytes_of(first) == bytes_of(second));
}

TEST_CASE("all looks: the model is that of the same data one-hot by hand") {
  Pairwise learner(options_of_four(4));
  make_categories(learner);
  LearnerOptions by_hand_options = options_of("pairwise", 2 + 3 + 20, 2 + 3 + 20);
  by_hand_options.bias = true;
  Pairwise by_hand(by_hand_options);
  Stream stream;
  Random random(1);
  Random random_by_hand(1);
  Plan plan;
  for (int t = 0; t < 2000; ++t) {
    stream.next();
    learner.plan(random, plan);
    learner.learn(plan, reveal(plan, stream.x), stream.label, 1);
    std::vector<double> columns(25);
    columns[0] = stream.x[0];
    columns[1] = stream.x[3];
    columns[2 + static_cast<std::size_t>(stream.x[1])] = 1;
    columns[5 + static_cast<std::size_t>(stream.x[2])] = 1;
    by_hand.plan(random_by_hand, plan);
    by_hand.learn(plan, reveal(plan, columns), stream.label, 1);
  }
  Model ours;
  learner.model(ours);
  Model theirs;
  by_hand.model(theirs);
  const auto near = [](double x) { return doctest::Approx(x).epsilon(0.01).scale(2); };
  CHECK(ours.weights[0] == near(theirs.weights[0]));
  CHECK(ours.weights[3] == near(theirs.weights[1]));
  // What all indicators of an attribute have in common says nothing.
  const auto step = [&](Attribute attribute, unsigned code) {
    return ours.weights[learner.features().indicator(attribute, code)] -
           ours.weights[learner.features().indicator(attribute, 0)];
  };
  for (unsigned code = 0; code < 3; ++code)
    CHECK(step(1, code) == near(theirs.weights[2 + code] - theirs.weights[2]));
  for (unsigned code = 0; code < 20; ++code)
    CHECK(step(2, code) == near(theirs.weights[5 + code] - theirs.weights[5]));
}

TEST_CASE("a missing category counts as its mean, or as what the others tell of it") {
  Pairwise learner(options_of_four(3));
  make_categories(learner);
  Stream stream;
  Random random(1);
  teach(learner, stream, random, 3000);
  const auto with = [&](double code) {
    const Entry entries[] = {{0, 0.5}, {1, code}, {2, 0}, {3, 0.5}};
    return learner.predict(entries);
  };
  const double mean = (with(0) + with(1) + with(2)) / 3;
  CHECK(with(kMissing) == doctest::Approx(mean).epsilon(0.05));
  CHECK(with(1) - with(0) == doctest::Approx(2).epsilon(0.05));
  const Entry entries[] = {{0, 0.5}, {1, kMissing}, {2, 0}, {3, 0.5}};
  IncompleteExamples incomplete;
  const auto basis = prediction_basis(learner);
  const auto answer = incomplete.predict(learner, entries, basis);
  CHECK(answer.prediction == doctest::Approx(mean).epsilon(0.1));
  CHECK(answer.standard_error > 0.8);  // f(x_1) has a deviation of .94
  CHECK(IncompleteExamples::standard_error_of_complete(learner, *basis) < 0.5);
}

TEST_CASE("a category that is new to the model has no weight yet, and no example is lost") {
  Pairwise learner(options_of_four(2));
  make_categories(learner);
  const Entry unknown[] = {{0, 0.5}, {1, 2}, {2, 19}, {3, 0.5}};
  CHECK(learner.predict(unknown) == 0);
  Stream stream;
  Random random(1);
  teach(learner, stream, random, 1);
  CHECK(std::isfinite(learner.predict(unknown)));
  teach(learner, stream, random, 40);
  CHECK(std::isfinite(learner.predict(unknown)));
  CHECK(learner.counts().examples == 41);
}

}  // namespace pairwise_categories_test
