#include "learn/pairwise/grown_state.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "learn/factory.h"
#include "learn/learner_test_support.h"

namespace grown_state_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr std::size_t kFew = 6;
constexpr std::size_t kMore = 8;

LearnerOptions options_for(const std::string& algorithm, std::size_t dimension, std::size_t budget = 3) {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = dimension;
  options.budget = budget;
  return options;
}

// From examples of which the first attributes alone are looked at, whatever the dimension.
std::unique_ptr<Learner> learned(const std::string& algorithm, std::size_t dimension, int examples) {
  auto planner = make_learner(options_for(algorithm, kFew)).value();
  auto learner = make_learner(options_for(algorithm, dimension)).value();
  Random random(3);
  Source source(kFew, 5);
  Plan plan;
  for (int t = 0; t < examples; ++t) {
    const std::vector<double>& x = source.next();
    planner->plan(random, plan);
    REQUIRE(learner->learn(plan, reveal(plan, x), source.label(), 1) == Outcome::kLearned);
  }
  return learner;
}

std::vector<double> weights_of(const Learner& learner) {
  Model model;
  learner.model(model);
  return model.weights;
}

std::unique_ptr<Learner> restored(const LearnerOptions& options, const State& state) {
  auto learner = make_learner(options).value();
  const Status status = learner->restore(state);
  REQUIRE_MESSAGE(status.has_value(), (status ? "" : status.error().message));
  return learner;
}

}  // namespace

TEST_CASE("a state with more attributes has the sums of a learner that never looked at them") {
  const auto grown = with_more_attributes(saved(*learned("pairwise", kFew, 300)), kMore, kMore);
  REQUIRE(grown.has_value());
  const State whole = saved(*learned("pairwise", kMore, 300));
  for (const char* name :
       {"pairs.sums", "pairs.attributes", "pairs.label", "gauge.centres", "gauge.distances", "gauge.counts",
        "gauge.evidence", "gauge.exponents", "learner.counts"}) {
    CAPTURE(name);
    REQUIRE(grown->find(name) != nullptr);
    CHECK(grown->find(name)->bytes == whole.find(name)->bytes);
  }
}

TEST_CASE("a learner goes on from a state with more attributes, and learns what they are good for") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    CAPTURE(std::string(algorithm));
    const auto before = learned(algorithm, kFew, 300);
    const auto grown = with_more_attributes(saved(*before), kMore, kMore);
    REQUIRE(grown.has_value());
    const auto learner = restored(options_for(algorithm, kMore), *grown);
    std::vector<double> expected = weights_of(*before);
    expected.resize(kMore);
    const std::vector<double> weights = weights_of(*learner);
    for (std::size_t i = 0; i < kMore; ++i) CHECK(weights[i] == doctest::Approx(expected[i]).epsilon(1e-5));

    Random random(9);
    Source source(kMore, 7);
    Plan plan;
    for (int t = 0; t < 6000; ++t) {  // until a model of these examples judges
      std::vector<double> x = source.next();
      learner->plan(random, plan);
      REQUIRE(learner->learn(plan, reveal(plan, x), 3 * x[kMore - 1], 1) == Outcome::kLearned);
    }
    CHECK(weights_of(*learner)[kMore - 1] > 1);
  }
}

TEST_CASE("a learner goes on from a state with another budget") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    const auto before = learned(algorithm, kFew, 300);
    const auto changed = with_budget(saved(*before), 5);
    REQUIRE(changed.has_value());
    const auto learner = restored(options_for(algorithm, kFew, 5), *changed);
    CHECK(weights_of(*learner) == weights_of(*before));
    Random random(9);
    Plan plan;
    learner->plan(random, plan);
    CHECK(plan.attributes.size() == 5);
  }
}

TEST_CASE("other learners' states do not change so, and no attribute is taken away") {
  const auto other =
      with_more_attributes(saved(*make_learner(options_for("aerr", kFew)).value()), kMore, kMore);
  REQUIRE_FALSE(other.has_value());
  CHECK(other.error().message ==
        "only the state of pairwise and pairwise-screened may change so, not that of aerr");
  const auto fewer = with_more_attributes(saved(*learned("pairwise", kMore, 10)), kFew, kFew);
  REQUIRE_FALSE(fewer.has_value());
  CHECK(fewer.error().message == "the state is of 8 attributes, and none can be taken away for 6");
}

TEST_CASE("a state whose arrays are too short is refused") {
  const State whole = saved(*learned("pairwise", kFew, 30));
  for (const char* name : {"pairs.sums", "pairs.attributes", "gauge.centres", "pairwise.sampling"}) {
    State damaged;
    damaged.begin();
    for (const Tensor& tensor : whole.tensors())
      if (tensor.name == name)
        damaged.put<double>(name, 1)[0] = 0;
      else if (tensor.type == ElementType::kF64)
        damaged.put_copy<double>(tensor.name, *whole.get<double>(tensor.name));
      else if (tensor.type == ElementType::kU64)
        damaged.put_copy<std::uint64_t>(tensor.name, *whole.get<std::uint64_t>(tensor.name));
    for (const Text& text : whole.texts()) damaged.put_text(text.name, text.value);
    damaged.finish();
    CAPTURE(std::string(name));
    CHECK_FALSE(with_more_attributes(damaged, kMore, kMore).has_value());
  }
}

}  // namespace grown_state_test
