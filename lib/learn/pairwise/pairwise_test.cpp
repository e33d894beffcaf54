#include "learn/pairwise/pairwise.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <limits>

#include "learn/factory.h"
#include "learn/learner_test_support.h"
#include "learn/linalg/l1_ball.h"

namespace pairwise_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

LearnerOptions pairwise_options(std::size_t dimension, std::size_t budget) {
  LearnerOptions options = options_of("pairwise", dimension, budget);
  options.bias = true;
  return options;
}

}  // namespace

TEST_CASE("plans are K distinct ascending attributes, also where K is close to d and some never vary") {
  for (const auto& [d, k] :
       {std::pair<std::size_t, std::size_t>{3, 2}, {50, 5}, {50, 49}, {50, 50}, {2, 2}}) {
    Pairwise learner(pairwise_options(d, k));
    Random random(1);
    Source source(d, 2);
    Plan plan;
    for (int t = 0; t < 300; ++t) {
      std::vector<double> x = source.next();
      for (std::size_t i = 0; i < d; i += 2) x[i] = 1;
      learner.plan(random, plan);
      REQUIRE(plan.attributes.size() == k);
      REQUIRE(std::is_sorted(plan.attributes.begin(), plan.attributes.end()));
      REQUIRE(std::adjacent_find(plan.attributes.begin(), plan.attributes.end()) == plan.attributes.end());
      REQUIRE(plan.attributes.back() < d);
      learner.learn(plan, reveal(plan, x), source.label(), 1);
    }
  }
}

TEST_CASE(
    "without a say of the labels what varies more, in units of its largest value, is drawn more often") {
  Pairwise learner(pairwise_options(4, 2));
  Random random(1);
  Plan plan;
  for (int t = 0; t < 4096; ++t) {
    learner.plan(random, plan);
    // ±1; 10 ± 1; 1 in about one example of ten, else 0; always 5.
    const double sign = random.uniform() < 0.5 ? -1 : 1;
    learner.learn(plan, reveal(plan, {sign, 10 + sign, random.uniform() < 0.1 ? 1.0 : 0.0, 5}), 3, 1);
  }
  std::vector<double> q;
  for (Attribute i = 0; i < 4; ++i) q.push_back(learner.sampling_row(i).probability);
  CHECK(q[0] > q[2]);
  CHECK(q[2] > q[1]);
  CHECK(q[1] > q[3]);
  CHECK(q[3] >= 0.1 / 4 * 0.95);  // the uniform share, to the rounding of the level table
  // Deviations over largest values: 1, 1/11, .3, 0, mixed with a tenth uniform.
  CHECK(q[0] / q[2] == doctest::Approx((0.1 + 0.9 * 1 / 0.3477) / (0.1 + 0.9 * 0.3 / 0.3477)).epsilon(0.1));
}

TEST_CASE("it learns where budgeted gradient descent is still at the beginning") {
  double error = 0;
  double base = 0;
  for (std::uint64_t stream = 4; stream < 16; ++stream) {
    Pairwise learner(pairwise_options(30, 5));
    Random random(stream - 1);
    Source source(30, stream);
    learn_from(learner, random, source, 1000);
    CHECK(learner.counts().attributes_revealed == 1000 * 5);
    Model model;
    learner.model(model);
    for (int t = 0; t < 1000; ++t) {
      const std::vector<double>& x = source.next();
      double prediction = model.bias;
      for (std::size_t i = 0; i < 30; ++i) prediction += model.weights[i] * x[i];
      error += std::pow(prediction - source.label(), 2);
      base += std::pow(0.3 - source.label(), 2);
    }
  }
  CHECK(error < 0.33 * base);
}

TEST_CASE("answers may come late and in any order") {
  Pairwise prompt(pairwise_options(10, 4));
  Pairwise late(pairwise_options(10, 4));
  Random random(1);
  Source source(10, 2);
  std::vector<Plan> plans(63);
  std::vector<std::vector<double>> values;
  std::vector<double> labels;
  for (Plan& plan : plans) {
    late.plan(random, plan);
    values.push_back(reveal(plan, source.next()));
    labels.push_back(source.label());
  }
  for (std::size_t t = 0; t < plans.size(); ++t) prompt.learn(plans[t], values[t], labels[t], 1);
  for (std::size_t t = plans.size(); t-- > 0;) late.learn(plans[t], values[t], labels[t], 1);
  for (std::size_t i = 0; i < 10; ++i)
    for (std::size_t j = i + 1; j < 10; ++j) {
      CHECK(prompt.moments().pair(i, j).weight == late.moments().pair(i, j).weight);
      CHECK(prompt.moments().co_moment(i, j, 0, 0) ==
            doctest::Approx(late.moments().co_moment(i, j, 0, 0)).epsilon(1e-10));
    }
}

TEST_CASE("an example with missing values is learned from by the others; one without any is not") {
  Pairwise learner(pairwise_options(4, 3));
  Plan plan;
  plan.attributes = {0, 1, 3};
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  CHECK(learner.learn(plan, std::vector<double>{1, kMissing, 2}, 1, 1) == Outcome::kLearned);
  CHECK(learner.moments().pair(0, 3).weight == 1);
  CHECK(learner.moments().pair(0, 1).weight == 0);
  CHECK(learner.moments()[1].weight() == 0);
  CHECK(learner.counts().attributes_revealed == 2);
  CHECK(learner.learn(plan, std::vector<double>{kMissing, kMissing, kMissing}, 1, 1) == Outcome::kMissing);
  CHECK(learner.counts().examples == 1);
  CHECK(learner.learn(plan, std::vector<double>{1, 1e301, 2}, 1, 1) == Outcome::kLearned);
  CHECK(learner.moments().pair(0, 3).weight == 2);
  CHECK(learner.moments().pair(0, 1).weight == 0);
}

TEST_CASE("labels of examples without any value count for the mean, and for the range of labels") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    CAPTURE(algorithm);
    LearnerOptions options = options_of(algorithm, 10, 3);
    options.bias = true;
    const auto learner = make_learner(options).value();
    Random random(1);
    Plan plan;
    for (int t = 0; t < 2000; ++t) {
      learner->plan(random, plan);
      const bool is_there = random.uniform() < 0.5;
      std::vector<double> values;
      for (std::size_t a = 0; a < plan.attributes.size(); ++a)
        values.push_back(is_there ? 2 * random.uniform() - 1 : std::numeric_limits<double>::quiet_NaN());
      learner->learn(plan, values, (is_there ? 0 : 10) + random.uniform(), 1);
    }
    CHECK(learner->predict({}) == doctest::Approx(5.5).epsilon(0.05));
    CHECK(learner->labels().max() > 10);
    CHECK(learner->counts().missing > 900);
  }
}

TEST_CASE("importance counts an example that often, and 0 not at all") {
  Pairwise twice(pairwise_options(6, 3));
  Pairwise weighted(pairwise_options(6, 3));
  Source source(6, 2);
  Plan plan;
  for (int t = 0; t < 200; ++t) {
    plan.attributes = {static_cast<Attribute>(t % 2), static_cast<Attribute>(2 + t % 3), 5};
    const std::vector<double> values = reveal(plan, source.next());
    weighted.learn(plan, values, source.label(), 2);
    weighted.learn(plan, values, source.label() + 5, 0);
    twice.learn(plan, values, source.label(), 1);
    twice.learn(plan, values, source.label(), 1);
  }
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = i + 1; j < 6; ++j)
      CHECK(twice.moments().co_moment(i, j, 1, 2) ==
            doctest::Approx(weighted.moments().co_moment(i, j, 1, 2)).epsilon(1e-10));
}

TEST_CASE("saved and restored in the middle it goes on to the same bits") {
  const LearnerOptions options = pairwise_options(20, 5);
  auto straight = make_learner(options).value();
  auto first = make_learner(options).value();
  auto second = make_learner(options).value();
  Random a(1);
  Random b(1);
  Source source_a(20, 2);
  Source source_b(20, 2);
  learn_from(*straight, a, source_a, 700);
  learn_from(*first, b, source_b, 300);
  REQUIRE(second->restore(saved(*first)).has_value());
  learn_from(*second, b, source_b, 400);
  const State left = saved(*straight);
  const State right = saved(*second);
  REQUIRE(left.tensors().size() == right.tensors().size());
  for (std::size_t t = 0; t < left.tensors().size(); ++t)
    CHECK(left.tensors()[t].bytes == right.tensors()[t].bytes);
  Model model_a;
  Model model_b;
  straight->model(model_a);
  second->model(model_b);
  CHECK(model_a.weights == model_b.weights);
}

TEST_CASE("a prediction takes a solution that lacks at most a fiftieth of the examples") {
  Pairwise learner(pairwise_options(5, 3));
  Random random(1);
  Source source(5, 2);
  learn_from(learner, random, source, 1000);
  const std::vector<Entry> entries{{0, 1.0}, {4, -2.0}};
  const double before = learner.predict(entries);
  learn_from(learner, random, source, 20);
  CHECK(learner.predict(entries) == before);
  learn_from(learner, random, source, 10);
  CHECK(learner.predict(entries) != before);
}

TEST_CASE("a solution of a copy, had when learning has gone on, is that of its moment") {
  const LearnerOptions options = pairwise_options(20, 5);
  Pairwise learner(options);
  Random random(1);
  Source source(20, 2);
  learn_from(learner, random, source, 1000);
  Model inline_model;
  learner.model(inline_model);

  learner.begin_capture();
  while (!learner.capture(1)) continue;
  learn_from(learner, random, source, 500);
  const std::shared_ptr<const Solution> solution = learner.solve({});
  REQUIRE(solution);
  CHECK(solution->origin.examples == 1000);
  CHECK(solution->origin.attributes_revealed == 5000);
  CHECK(solution->model.weights == inline_model.weights);
  CHECK(solution->model.bias == inline_model.bias);
}

TEST_CASE("an adopted solution answers until the next, whatever its age") {
  Pairwise learner(pairwise_options(20, 5));
  CHECK_FALSE(learner.describe().origin);
  Random random(1);
  Source source(20, 2);
  learn_from(learner, random, source, 100);
  const std::vector<Entry> entries{{0, 1.0}, {4, -2.0}};
  for (const std::uint64_t examples : {100, 1100}) {
    learner.begin_capture();
    while (!learner.capture(1000)) continue;
    learner.adopt(learner.solve({}));
    const double prediction = learner.predict(entries);
    learn_from(learner, random, source, 1000);
    CHECK(learner.predict(entries) == prediction);
    CHECK(learner.describe().origin->examples == examples);
    Model model;
    learner.model(model);
    CHECK(prediction == model.bias + model.weights[0] - 2 * model.weights[4]);
  }
}

TEST_CASE("examples between slices are taken along, but not so many that it is another time") {
  Pairwise learner(pairwise_options(20, 5));
  Random random(1);
  Source source(20, 2);
  learn_from(learner, random, source, 100);
  learner.begin_capture();
  CHECK_FALSE(learner.capture(1));
  learn_from(learner, random, source, 25);
  CHECK(learner.capture(1 << 20));
  CHECK(learner.solve({})->origin.examples == 100);

  learner.begin_capture();
  CHECK_FALSE(learner.capture(1));
  learn_from(learner, random, source, 32);  // more than a quarter of 125
  CHECK_FALSE(learner.capture(1 << 20));
  CHECK(learner.capture(1 << 20));
  CHECK(learner.solve({})->origin.examples == 157);
}

TEST_CASE("before the first example the model is 0, and nothing is solved") {
  const Pairwise learner(pairwise_options(20, 5));
  const std::size_t memory = learner.describe().memory_bytes;
  CHECK(learner.predict(std::vector<Entry>{{0, 1.0}}) == 0);
  Model model;
  learner.model(model);
  CHECK(model.weights == std::vector<double>(20, 0.0));
  CHECK(learner.describe().origin->examples == 0);
  CHECK(learner.describe().memory_bytes == memory);
}

TEST_CASE(
    "judges and solutions that are made while learning waits share their memory, captures have their own") {
  constexpr std::size_t kDimension = 100;
  constexpr std::size_t kPairs = kDimension * (kDimension - 1) / 2;
  constexpr std::size_t kShared = (2 * kPairs + kDimension * kDimension) * sizeof(float);
  Pairwise learner(pairwise_options(kDimension, 10));
  Random random(1);
  Source source(kDimension, 2);
  learn_from(learner, random, source, 63);
  const auto bytes = [&] { return learner.describe().memory_bytes; };
  const std::size_t before = bytes();
  learn_from(learner, random, source, 80 - 63);  // the judge of 64 examples judges from 80 on
  constexpr std::size_t kJudge = 2 * kDimension * sizeof(double);
  CHECK(bytes() == before + kShared + kJudge);
  Model model;
  learner.model(model);
  constexpr std::size_t kAttributes = kDimension * PairSnapshot::kBytesAnAttribute;
  CHECK(bytes() == before + kShared + kJudge + kAttributes);
  learn_from(learner, random, source, 320 - 80);  // the judge of 256
  learner.model(model);
  const std::size_t earlier = bytes() - (before + kShared + kAttributes);
  CHECK(earlier % kJudge == 0);  // two judges, and what the guard keeps of them
  CHECK(earlier >= 2 * kJudge);
  CHECK(earlier <= 3 * kJudge);
  learner.begin_capture();
  CHECK(bytes() == before + kShared + kAttributes + earlier);
  learn_from(learner, random, source, 640 - 320);  // the judge of 512
  CHECK(bytes() >= before + 2 * kShared + kAttributes + earlier);
  CHECK(bytes() <= before + 2 * kShared + kAttributes + 3 * kJudge);
}

TEST_CASE("a solve that is cancelled gives nothing") {
  Pairwise learner(pairwise_options(20, 5));
  Random random(1);
  Source source(20, 2);
  learn_from(learner, random, source, 100);
  learner.begin_capture();
  while (!learner.capture(1000)) continue;
  CHECK_FALSE(learner.solve([] { return true; }));
}

TEST_CASE("--ball l1 keeps the sum of the weights in the radius") {
  LearnerOptions options = pairwise_options(20, 5);
  options.radius = 0.5;
  Random random(1);
  for (const Ball ball : {Ball::kL1, Ball::kL2}) {
    options.ball = ball;
    Pairwise learner(options);
    Source source(20, 2);
    learn_from(learner, random, source, 2000);
    Model model;
    learner.model(model);
    double squares = 0;
    for (const double w : model.weights) squares += w * w;
    CHECK((ball == Ball::kL1 ? l1_norm(model.weights) : std::sqrt(squares)) == doctest::Approx(0.5));
  }
}

TEST_CASE("too many attributes for the memory are refused with the most that fit") {
  LearnerOptions options = pairwise_options(8190, 5);
  CHECK(make_learner(options).error().message ==
        "--dimension 8190: pairwise would keep 1073938320 bytes for the pairs of attributes, but "
        "--pair-memory is "
        "1073741824; must be at most 8189, or --pair-memory larger (or use pairwise-screened)");
  options.dimension = 100;
  options.pair_memory = 10000;
  CHECK(make_learner(options).error().message.find("must be at most 22") != std::string::npos);
}

}  // namespace pairwise_test
