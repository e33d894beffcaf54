#include "learn/css10/aer.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <limits>

#include "learn/css10/css10_test_support.h"
#include "learn/factory.h"
#include "learn/linalg/l1_ball.h"

namespace aer_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {
std::string refusal(const LearnerOptions& options) {
  auto learner = make_learner(options);
  return learner ? "" : learner.error().message;
}

// CSS10's Algorithm 2 as it is written: whole vectors, O(d) a step. Draws are those of the plans it is given.
void compare(const LearnerOptions& options, double first_step, int examples, std::uint64_t seed) {
  const std::size_t d = options.dimension;
  auto lazy = make_learner(options).value();
  std::vector<double> w(d + 1);
  std::vector<double> sum(d + 1);
  std::vector<double> work;
  Random random(seed);
  Source source(d, seed);
  Plan plan;
  Model model;
  int projections = 0;
  for (int t = 1; t <= examples; ++t) {
    const std::vector<double>& x = source.next();
    lazy->plan(random, plan);
    const double norm = l1_norm(std::span(w).first(d));
    double phi = w[d] - source.label();
    for (const Draw& draw : plan.inner_product) {
      const Attribute i = plan.attributes[draw.position];
      const double k_p = static_cast<double>(plan.inner_product.size());
      REQUIRE(std::abs(draw.coefficient - std::copysign(norm / k_p, w[i])) <= 1e-12 * norm);
      phi += std::copysign(norm / k_p, w[i]) * x[i];
    }
    const double importance = t % 5 == 0 ? 2 : 1;
    REQUIRE(lazy->learn(plan, reveal(plan, x), source.label(), importance) == Outcome::kLearned);

    std::vector<double> v(d + 1);
    for (const Draw& draw : plan.data_point) {
      const Attribute j = plan.attributes[draw.position];
      v[j] += static_cast<double>(d) / static_cast<double>(plan.data_point.size()) * x[j];
    }
    v[d] = options.bias ? 1 : 0;
    for (std::size_t i = 0; i <= d; ++i)
      w[i] = (1 - 1.0 / t) * w[i] - first_step / t * importance * phi * v[i];
    if (l1_norm(w) > *options.radius) ++projections;
    project_onto_l1_ball(w, *options.radius, work);
    for (std::size_t i = 0; i <= d; ++i) sum[i] += w[i];

    if (t % 997 != 0 && t != examples) continue;
    lazy->model(model);
    model.weights.push_back(model.bias);
    double largest = 0;
    for (const double value : sum) largest = std::max(largest, std::abs(value) / t);
    REQUIRE(largest > 0.001);
    for (std::size_t i = 0; i <= d; ++i) REQUIRE(std::abs(model.weights[i] - sum[i] / t) <= 1e-12 * largest);
  }
  CHECK(projections > 10);
}
}  // namespace

TEST_CASE("aer and the algorithm as it is written agree to 1e-12 over 30,000 steps") {
  for (const double radius : {0.5, 3.0, 8.0}) {
    for (const bool bias : {false, true}) {
      LearnerOptions options = css10_options("aer", 40, 7, radius);
      options.bias = bias;
      options.step_number = 3;
      compare(options, 3, 30000, static_cast<std::uint64_t>(radius * 2));
    }
  }
  LearnerOptions options = css10_options("aer", 40, 6, 2);
  options.step = StepKind::kTheory;
  options.horizon = 30000;
  const double lambda = 3.0 * 40 / 2 * std::sqrt(std::log(30000.0) / (30000.0 * 6));
  CHECK(Aer::theory_lambda(40, 6, 2, 30000) == doctest::Approx(lambda).epsilon(1e-15));
  compare(options, 2 / lambda, 30000, 9);
}

TEST_CASE("an aer restored in the middle of a stream goes on to the same bits") {
  for (const StepKind step : {StepKind::kNumber, StepKind::kTheory}) {
    LearnerOptions options = css10_options("aer", 30, 5, 0.8);
    options.step = step;
    options.step_number = 200;  // far beyond the ball, so that its threshold is brought back many times
    options.horizon = 2000;
    options.bias = true;
    for (const int middle : {0, 10, 700}) {
      auto whole = make_learner(options).value();
      Random random(5);
      Source source(30, 6);
      learn_from(*whole, random, source, middle);
      auto resumed = make_learner(options).value();
      REQUIRE(resumed->restore(saved(*whole)).has_value());
      CHECK(same_state(saved(*resumed), saved(*whole)));
      Random random_copy = Random::from_state(random.state());
      Source source_copy = source;
      learn_from(*whole, random, source, 900);
      learn_from(*resumed, random_copy, source_copy, 900);
      CHECK(same_state(saved(*resumed), saved(*whole)));
      Model first;
      Model second;
      whole->model(first);
      resumed->model(second);
      CHECK(first.weights == second.weights);
      CHECK(first.bias == second.bias);
      CHECK(l1_norm(first.weights) > 0);
      CHECK(resumed->describe().step_size == whole->describe().step_size);
    }
  }
}

TEST_CASE("aer refuses a state of other options, and one with a part missing") {
  auto learner = make_learner(css10_options("aer", 20, 4, 1)).value();
  Random random(1);
  Source source(20, 1);
  learn_from(*learner, random, source, 50);
  const State state = saved(*learner);
  const auto error = [&](const LearnerOptions& options) {
    return make_learner(options).value()->restore(state).error();
  };
  CHECK(error(css10_options("aer", 20, 4, 2)).message ==
        "the checkpoint was made with radius=1, but this start asks for radius=2");
  CHECK(error(css10_options("aerr", 20, 4, 1)).code == ErrorCode::kMismatch);
  CHECK(error(css10_options("aer", 21, 4, 1)).code == ErrorCode::kMismatch);

  for (const char* name : {"shrunk.a", "shrunk.c", "shrunk.scalars", "shrunk.steps", "aer.eta"}) {
    State partial;
    partial.begin();
    for (const Text& text : state.texts()) partial.put_text(text.name, text.value);
    for (const Tensor& tensor : state.tensors()) {
      if (tensor.name == name) continue;
      switch (tensor.type) {
        case ElementType::kF64:
          partial.put_copy<double>(tensor.name, *state.get<double>(tensor.name));
          break;
        case ElementType::kF32:
          partial.put_copy<float>(tensor.name, *state.get<float>(tensor.name));
          break;
        case ElementType::kU64:
          partial.put_copy<std::uint64_t>(tensor.name, *state.get<std::uint64_t>(tensor.name));
          break;
        case ElementType::kU32:
          partial.put_copy<std::uint32_t>(tensor.name, *state.get<std::uint32_t>(tensor.name));
          break;
        case ElementType::kU8:
          partial.put_copy<std::uint8_t>(tensor.name, *state.get<std::uint8_t>(tensor.name));
          break;
      }
    }
    partial.finish();
    auto other = make_learner(css10_options("aer", 20, 4, 1)).value();
    const Status status = other->restore(partial);
    REQUIRE(status.has_error());
    CHECK(status.error().code == ErrorCode::kCorrupt);
    CHECK(status.error().message.find(name) != std::string::npos);
  }
}

TEST_CASE("aer refuses options it cannot work with by name and with what would do") {
  LearnerOptions options = css10_options("aer", 10, 4, 1);
  CHECK(refusal(options).empty());
  options.step = StepKind::kAuto;
  CHECK(
      refusal(options) ==
      "--step auto: aer has no such step; must be a number S (the step is S/t) or theory (with --horizon M)");
  options.step = StepKind::kTheory;
  CHECK(refusal(options) ==
        "--step theory: needs --horizon M, the number of examples to come (or use --step S)");
  options.horizon = 1;
  CHECK(refusal(options).empty());
  options.radius = 1e31;
  CHECK(refusal(options) == "--radius 1e+31: must be from 1e-30 to 1e+30");
  options.radius.reset();
  CHECK(refusal(options) ==
        "--algorithm aer: needs --radius B, the largest sum of the weights' absolute values");
}

TEST_CASE("aer skips and counts what is missing, out of range or divergent, and its weights stay") {
  LearnerOptions options = css10_options("aer", 6, 6, 1);
  options.bias = true;
  options.outliers = Outliers::kKeep;
  auto learner = make_learner(options).value();
  Random random(3);
  Source source(6, 1);
  learn_from(*learner, random, source, 20);
  const auto before = learner->counts();
  const auto weights = aer_iterate(*learner);
  Model model_before;
  learner->model(model_before);

  Plan plan;
  learner->plan(random, plan);
  std::vector<double> values(plan.attributes.size(), 1.0);
  REQUIRE(values.size() >= 2);
  values[1] = std::numeric_limits<double>::quiet_NaN();
  CHECK(learner->learn(plan, values, 1, 1) == Outcome::kMissing);
  values[1] = 1e31;
  CHECK(learner->learn(plan, values, 1, 1) == Outcome::kMissing);
  values[1] = 1;
  CHECK(learner->learn(plan, values, -1e31, 1) == Outcome::kOutOfRange);
  CHECK(learner->learn(plan, values, 1e25, 1) == Outcome::kDiverged);
  CHECK(learner->learn(plan, values, 1e30, 1e300) == Outcome::kOutOfRange);

  CHECK(learner->counts().missing == 2);
  CHECK(learner->counts().beyond_values == 1);
  CHECK(learner->counts().out_of_range == 2);
  CHECK(learner->counts().diverged == 1);
  CHECK(learner->counts().examples == before.examples);
  CHECK(learner->counts().attributes_revealed == before.attributes_revealed + 5 * values.size() - 1);
  CHECK(aer_iterate(*learner) == weights);
  Model model;
  learner->model(model);
  CHECK(model.weights == model_before.weights);
  CHECK(model.bias == model_before.bias);
}

TEST_CASE("aer predicts with the averaged model, and takes a missing value for its mean") {
  LearnerOptions options = css10_options("aer", 8, 4, 2);
  options.bias = true;
  auto learner = make_learner(options).value();
  Random random(1);
  Source source(8, 3);
  learn_from(*learner, random, source, 500);
  Model model;
  learner->model(model);
  REQUIRE(model.weights.size() == 8);
  REQUIRE(model.weights[2] != 0);
  REQUIRE(model.weights[5] != 0);
  REQUIRE(model.bias != 0);
  const std::vector<Entry> entries{{2, 0.5}, {5, std::numeric_limits<double>::quiet_NaN()}};
  const SamplingRow row = learner->sampling_row(5);
  CHECK(learner->predict(entries) ==
        doctest::Approx(model.bias + 0.5 * model.weights[2] + row.moment.mean * model.weights[5]));
  CHECK(row.moment.count > 0);
  CHECK(row.probability == 1.0 / 8);
  CHECK(learner->predict({}) == model.bias);
}

TEST_CASE("aer takes at most 48 bytes an attribute") {
  auto learner = make_learner(css10_options("aer", 1000000, 5, 1)).value();
  Random random(1);
  Plan plan;
  for (int t = 0; t < 20; ++t) {
    learner->plan(random, plan);
    learner->learn(plan, std::vector<double>(plan.attributes.size(), 1.0), 1, 1);
  }
  CHECK(learner->counts().examples == 20);
  CHECK(static_cast<double>(learner->describe().memory_bytes) / 1e6 <= 48);
  CHECK(static_cast<double>(learner->describe().memory_bytes) / 1e6 > 40);
}

TEST_CASE("aer learns what there is to learn") {
  LearnerOptions options = css10_options("aer", 10, 6, 10);
  options.bias = true;
  options.step_number = 20;
  auto learner = make_learner(options).value();
  Random random(1);
  Source source(10, 3);
  learn_from(*learner, random, source, 50000);
  double error = 0;
  double zero = 0;
  Source fresh = source;
  for (int t = 0; t < 1000; ++t) {
    const std::vector<double>& x = fresh.next();
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < x.size(); ++i) entries.push_back({static_cast<Attribute>(i), x[i]});
    const double difference = learner->predict(entries) - fresh.label();
    error += difference * difference;
    zero += fresh.label() * fresh.label();
  }
  CHECK(error < 0.2 * zero);
}

}  // namespace aer_test
