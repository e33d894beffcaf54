#include "learn/iterates/finite_array.h"

#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <vector>

#include "learn/core/learner.h"
#include "learn/factory.h"
#include "learn/learner_test_support.h"

namespace finite_array_test {

using namespace glimpse;
using glimpse::test::saved;

namespace {

std::unique_ptr<Learner> make(const char* algorithm) {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = 5;
  options.budget = 3;
  options.radius = 2;
  if (options.algorithm == "aer") {
    options.step = StepKind::kNumber;
    options.step_number = 1;
  }
  return *make_learner(options);
}

}  // namespace

TEST_CASE("an array of a state with a number that is not finite is refused") {
  State state;
  state.begin();
  state.put_copy<double>("sums", std::vector<double>{1, -2});
  state.put_copy<double>("broken", std::vector<double>{1, std::numeric_limits<double>::infinity()});
  state.finish();
  CHECK(finite_array(state, "sums", 2)->back() == -2);
  CHECK(finite_array(state, "sums", 3).error().message == "the array 'sums' has 2 elements, not 3");
  CHECK(finite_array(state, "broken", 2).error().message ==
        "the array 'broken' holds a number that is not finite");
}

TEST_CASE("weights of a checkpoint that are no numbers are refused by every learner that searches by them") {
  const std::pair<const char*, const char*> arrays[] = {
      {"aerr", "weights.u"}, {"aelr", "weights.theta"}, {"aer", "shrunk.a"}};
  for (const auto& [algorithm, array] : arrays) {
    CAPTURE(algorithm);
    State state = saved(*make(algorithm));
    REQUIRE(make(algorithm)->restore(state).has_value());
    state.put<double>(array, state.find(array)->count())[0] = std::numeric_limits<double>::quiet_NaN();
    const Status status = make(algorithm)->restore(state);
    REQUIRE_FALSE(status.has_value());
    CHECK(status.error().code == ErrorCode::kCorrupt);
  }
}

TEST_CASE("a state of more examples than any stream has is refused, as their number is doubled") {
  for (const char* const algorithm : {"aerr", "pairwise", "pairwise-screened"}) {
    LearnerOptions options;
    options.algorithm = algorithm;
    options.dimension = 5;
    options.budget = 3;
    const auto learner = *make_learner(options);
    State state = saved(*learner);
    REQUIRE(learner->restore(state).has_value());
    state.put_number("learner.steps", ~std::uint64_t{0});
    CHECK((*make_learner(options))->restore(state).error().code == ErrorCode::kCorrupt);
  }
}

}  // namespace finite_array_test
