#include <doctest/doctest.h>

#include "learn/options/state_options.h"

namespace described_options_test {

using namespace glimpse;

namespace {

LearnerOptions options_of(const Algorithm& algorithm) {
  LearnerOptions options;
  options.algorithm = algorithm.name;
  options.dimension = 12;
  options.budget = 4;
  if (algorithm.ball == Ball::kL1) options.radius = 2.5;
  if (algorithm.name == "aer") {
    options.step = StepKind::kNumber;
    options.step_number = 0.25;
  }
  return options;
}

}  // namespace

TEST_CASE("options come back from their description, of every algorithm") {
  for (const Algorithm& algorithm : kAlgorithms) {
    LearnerOptions options = options_of(algorithm);
    if (can_forget(algorithm.name)) options.half_life = 5000;
    const std::string text = describe(options);
    CAPTURE(text);
    const auto again = described_options(text);
    REQUIRE_MESSAGE(again.has_value(), (again ? "" : again.error().message));
    CHECK(describe(*again) == text);
  }
}

TEST_CASE("names of labels come back whatever they hold") {
  LearnerOptions options = options_of(algorithm_of("pairwise"));
  options.labels = {"temp", "a,b", "say \"x\""};
  const auto again = described_options(describe(options));
  REQUIRE(again.has_value());
  CHECK(again->labels == options.labels);
}

TEST_CASE("lines that nobody knows, and limits without their prices, are refused") {
  const std::string text = describe(options_of(algorithm_of("pairwise")));
  for (const char* line : {"courage=much\n", "nothing\n"}) {
    const auto again = described_options(text + line);
    REQUIRE_FALSE(again.has_value());
    CHECK(again.error().code == ErrorCode::kMismatch);
  }
  CHECK(described_options("").error().code == ErrorCode::kMismatch);
  CHECK(described_options(describe(options_of(algorithm_of("aerr"))) + "budget-cost=on\n").error().code ==
        ErrorCode::kUnavailable);
}

}  // namespace described_options_test
