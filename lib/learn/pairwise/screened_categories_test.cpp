#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "learn/inference/incomplete_example.h"
#include "learn/learner_test_support.h"
#include "learn/pairwise/screened_pairwise.h"

namespace screened_categories_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr std::size_t kDimension = 40;

LearnerOptions screened(std::size_t active) {
  LearnerOptions options = options_of("pairwise-screened", kDimension, 5);
  options.bias = true;
  options.active = active;
  return options;
}

// Attribute 7 has 4 categories and 20 has 30; of the numbers 0 and 39 tell of the label.
struct Stream {
  Random random{3};
  std::vector<double> x = std::vector<double>(kDimension);
  double label = 0;

  void next() {
    for (double& value : x) value = random.uniform();
    x[7] = static_cast<double>(random.below(4));
    x[20] = static_cast<double>(random.below(30));
    label = 2 * x[0] - x[39] + (x[7] == 2 ? 2 : 0) + (x[20] < 3 ? -2 : 0) + 0.1 * random.uniform();
  }
};

void teach(ScreenedPairwise& learner, Stream& stream, Random& random, int examples) {
  Plan plan;
  for (int t = 0; t < examples; ++t) {
    stream.next();
    learner.plan(random, plan);
    REQUIRE(plan.attributes.size() == 5);
    REQUIRE(learner.learn(plan, reveal(plan, stream.x), stream.label, 1) == Outcome::kLearned);
  }
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

TEST_CASE("categories are active from their first sight on, and are learned beside what the screen finds") {
  for (const std::size_t active : {std::size_t{8}, kDimension}) {
    CAPTURE(active);
    ScreenedPairwise learner(screened(active));
    learner.make_category(7);
    learner.make_category(20);
    Stream stream;
    Random random(1);
    teach(learner, stream, random, 21000);  // the model of 16,384 examples judges from 20,480 on
    CHECK(learner.active().size() <= active);
    CHECK(learner.features().slots() == kDimension + 34);
    CHECK(learner.counts().attributes_revealed == 105000);
    double sum = 0;
    for (int t = 0; t < 500; ++t) {
      stream.next();
      std::vector<Entry> entries;
      for (Attribute i = 0; i < kDimension; ++i) entries.push_back({i, stream.x[i]});
      const double error = learner.predict(entries) - stream.label;
      sum += error * error / 500;
    }
    CHECK(sum < 0.35);  // of a variance of 1.5; with 40 active ones pairs are seen less often
    CHECK(std::isnan(learner.sampling_row(7).moment.mean));
    CHECK(learner.sampling_row(7).moment.count > 1000);
    std::vector<Entry> incomplete;
    for (Attribute i = 0; i < kDimension; ++i) incomplete.push_back({i, i == 7 ? NAN : stream.x[i]});
    IncompleteExamples examples;
    const auto basis = prediction_basis(learner);
    const auto answer = examples.predict(learner, incomplete, basis);
    CHECK(answer.prediction == doctest::Approx(learner.predict(incomplete)).epsilon(1e-6));
    CHECK(answer.standard_error > IncompleteExamples::standard_error_of_complete(learner, *basis));
  }
}

TEST_CASE("a screened learner with categories goes on from its state bit for bit") {
  for (const int before : {5, 60, 3000}) {
    CAPTURE(before);
    ScreenedPairwise first(screened(8));
    first.make_category(7);
    first.make_category(20);
    Stream stream;
    Random random(1);
    teach(first, stream, random, before);
    State state;
    state.begin();
    first.save(state);
    state.finish();
    ScreenedPairwise second(screened(8));
    REQUIRE(second.restore(state).has_value());
    Stream again = stream;
    Random random_again = random;
    teach(first, stream, random, 2000);
    teach(second, again, random_again, 2000);
    CHECK(bytes_of(first) == bytes_of(second));
  }
}

TEST_CASE("forgetting everything keeps the categories") {
  LearnerOptions options = screened(8);
  options.half_life = 500;
  ScreenedPairwise learner(options);
  learner.make_category(7);
  Stream stream;
  Random random(1);
  teach(learner, stream, random, 4000);
  CHECK(learner.features().is_category(7));
  CHECK(learner.features().indicators(7).size() == 4);
}

}  // namespace screened_categories_test
