#include "learn/options/options.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "learn/factory.h"
#include "learn/learner_test_support.h"

namespace options_test {

using namespace glimpse;
using glimpse::test::options_of;

namespace {
std::string refusal(const LearnerOptions& options) {
  const Status status = validate(options);
  return status ? "" : status.error().message;
}
}  // namespace

TEST_CASE("sound options pass") { CHECK(refusal(options_of("aerr", 10, 5)).empty()); }

TEST_CASE("labels are told apart, whatever their names hold") {
  const auto lines = [](const std::vector<std::string>& labels) {
    LearnerOptions options = options_of("pairwise", 10, 5);
    options.labels = labels;
    REQUIRE(refusal(options).empty());
    return describe(options);
  };
  CHECK(lines({"temp", "cnt"}).find("labels=temp,cnt\n") != std::string::npos);
  CHECK(lines({"a,b", "c"}).find("labels=\"a,b\",c\n") != std::string::npos);
  CHECK(lines({"a", "b,c"}) != lines({"a,b", "c"}));
  CHECK(lines({"a", "b", "c"}) != lines({"a,b", "c"}));
  CHECK(lines({"\"a", "b\nc"}).find("labels=\"\"\"a\",\"b c\"\n") != std::string::npos);
}

TEST_CASE("what the theorems ask for and is not given is named") {
  LearnerOptions options = options_of("two-phase-ddaerr", 10, 5);
  CHECK(lacks_of_theory(options).empty());  // another step
  options.step = StepKind::kTheory;
  options.bias = true;
  options.horizon = 100;
  const auto begins = [](const std::vector<std::string>& lacks) {
    std::string all;
    for (const std::string& each : lacks) all += each.substr(0, each.find(',')) + ";";
    return all;
  };
  CHECK(begins(lacks_of_theory(options)) == "--radius B;--bias off;--confidence theory;--phase1 N;");
  options.radius = 1;
  options.bias = false;
  options.confidence.reset();
  options.phase1_fraction = 0.1;
  CHECK(lacks_of_theory(options).empty());
  options = options_of("aelr", 10, 5);
  options.step = StepKind::kTheory;
  options.bias = true;
  options.radius = 1;
  CHECK(begins(lacks_of_theory(options)) == "--bias off;");
}

TEST_CASE("pairwise learns from one attribute, where it has nothing to choose") {
  CHECK(refusal(options_of("pairwise", 1, 1)).empty());
  CHECK(refusal(options_of("pairwise", 1, 2)) == "--budget 2: must be at most --dimension 1");
  CHECK(refusal(options_of("pairwise", 2, 1)) ==
        "--budget 1: must be at least 2: a product is of two attributes");
}

TEST_CASE("options out of range or at odds are refused by name, value and constraint") {
  CHECK(refusal(options_of("aerr", 0, 5)) == "--dimension 0: must be from 1 to 2147483648");
  CHECK(refusal(options_of("aerr", 1, 2)) ==
        "--dimension 1: must be at least 2 for aerr, which chooses among attributes; of one, "
        "online-ridge, online-lasso, pairwise or apple learns");
  CHECK(refusal(options_of("aerr", 10, 1)) ==
        "--budget 1: must be at least 2: one draw for each of the two estimators");
  CHECK(refusal(options_of("aerr", 10, 11)) == "--budget 11: must be at most --dimension 10");
  LearnerOptions options = options_of("aerr", 10, 5);
  options.step = StepKind::kTheory;
  CHECK(refusal(options) ==
        "--step theory: needs --horizon M, the number of examples to come (or use --step auto)");
  options.step = StepKind::kAuto;
  options.phase1_fraction = 0.1;
  CHECK(refusal(options) == "--phase1 10%: a share needs --horizon M (or use --phase1 auto)");
  options.phase1_fraction.reset();
  options.horizon = 100;
  options.phase1_examples = 100;
  CHECK(refusal(options) == "--phase1 100: must be below --horizon 100");
  options.phase1_examples.reset();
  options.radius = -1;
  CHECK(refusal(options) == "--radius -1: must be from 1e-30 to 1e+30");
}

TEST_CASE("uniform looks are for pairwise, and a checkpoint is of them") {
  LearnerOptions options = options_of("pairwise", 10, 5);
  const std::string learned = describe(options);
  options.looks = Looks::kUniform;
  CHECK(refusal(options).empty());
  CHECK(describe(options) != learned);
  options.algorithm = "pairwise-screened";
  CHECK(refusal(options) == "--looks uniform: is for pairwise only");
  options.algorithm = "ddaerr";
  CHECK(refusal(options) == "--looks uniform: is for pairwise only");
}

TEST_CASE("the ways to write a step, a phase and a confidence are read") {
  LearnerOptions options;
  REQUIRE(parse_step("0.25", options).has_value());
  CHECK(options.step_number == 0.25);
  CHECK(parse_step("theory", options).has_value());
  CHECK(options.step == StepKind::kTheory);
  for (const char* bad : {"", "0", "-1", "nan", "inf", "0.1x"}) CHECK(parse_step(bad, options).has_error());

  REQUIRE(parse_phase1("10%", options).has_value());
  CHECK(*options.phase1_fraction == doctest::Approx(0.1));
  options.horizon = 11552;
  CHECK(*phase1_length(options) == 1155);
  REQUIRE(parse_phase1("500", options).has_value());
  CHECK(*phase1_length(options) == 500);
  REQUIRE(parse_phase1("auto", options).has_value());
  CHECK(!phase1_length(options));
  for (const char* bad : {"", "0", "-5", "0%", "100%", "1.5", "many"})
    CHECK(parse_phase1(bad, options).has_error());

  REQUIRE(parse_confidence("theory", options).has_value());
  CHECK(!options.confidence);
  REQUIRE(parse_confidence("0", options).has_value());
  CHECK(*options.confidence == 0);
  CHECK(parse_confidence("-1", options).error().message ==
        "--confidence -1: must be theory or a number from 0");
}

TEST_CASE("radius and step of the uniform phase need two phases, and their counterparts") {
  LearnerOptions options = options_of("two-phase-ddaerr", 10, 5);
  options.phase1_radius = 3;
  CHECK(validate(options).error().message == "--phase1-radius 3: needs --radius B, that of the second phase");
  options.radius = 2;
  options.phase1_step = 0.5;
  CHECK(validate(options).has_value());
  CHECK(*radius_of_phase1(options) == 3);
  CHECK(describe(options).ends_with("\nphase1-radius=3\nphase1-step=0.5\n"));
  options.step = StepKind::kAuto;
  CHECK(validate(options).error().message ==
        "--phase1-step 0.5: needs a number as --step, that of the second phase");
  options.step = StepKind::kNumber;
  options.phase1_step = -1;
  CHECK(validate(options).error().message == "--phase1-step -1: must be above 0");
  options.phase1_step = 1;
  options.algorithm = "aerr";
  CHECK(validate(options).error().message ==
        "--phase1-radius 3: is for algorithms of two phases (two-phase-...) only");
}

TEST_CASE("an unknown algorithm and misplaced moments are refused with what would do") {
  CHECK(make_learner(options_of("perceptron", 10, 5)).error().message.find("must be one of aerr, ddaerr") !=
        std::string::npos);
  CHECK(make_learner(options_of("ddaerr", 10, 5)).error().message.find("--moments FILE") !=
        std::string::npos);
  const SecondMoments known(10);
  CHECK(make_learner(options_of("aerr", 10, 5), &known).has_error());
  const SecondMoments other(9);
  CHECK(make_learner(options_of("ddaerr", 10, 5), &other).has_error());
}

TEST_CASE("a ball may be named where it is the algorithm's, and chosen for pairwise alone") {
  LearnerOptions options;
  options.dimension = 10;
  options.budget = 4;
  options.radius = 2;
  const std::string plain = describe(options);
  options.ball = Ball::kL2;
  CHECK(validate(options).has_value());
  CHECK(describe(options) == plain);
  options.ball = Ball::kL1;
  CHECK(validate(options).error().message ==
        "--ball l1: two-phase-ddaerr keeps its weights in an L2 ball; pairwise alone has both");
  options.algorithm = "aelr";
  CHECK(validate(options).has_value());
  options.ball = Ball::kL2;
  CHECK_FALSE(validate(options).has_value());
  options.algorithm = "pairwise";
  CHECK(validate(options).has_value());
  const std::string l2 = describe(options);
  options.ball = Ball::kL1;
  CHECK(validate(options).has_value());
  CHECK(describe(options) == l2 + "ball=l1\n");
}

TEST_CASE("pairs of draws and control variates are refused where they have no form") {
  LearnerOptions options = options_of("aerr", 10, 5);
  CHECK(describe(options).find("draws=") == std::string::npos);
  options.draws = Draws::kPairs;
  CHECK(refusal(options).empty());
  CHECK(describe(options).ends_with("bias=off\ndraws=pairs\n"));
  options.split = Split::kPaper;
  CHECK(refusal(options) == "--draws pairs: leaves nothing to share out as --split paper would");
  options.split = Split::kEven;
  options.step = StepKind::kTheory;
  options.horizon = 100;
  CHECK(refusal(options) ==
        "--draws pairs: the papers have no step for it (--step theory); must be auto or a number");
  options.step = StepKind::kAuto;
  options.control_variates = true;
  CHECK(refusal(options) == "--control-variates on: needs --bias on, which takes up what the means explain");
  options.bias = true;
  CHECK(refusal(options).empty());
  CHECK(describe(options).ends_with("bias=on\ndraws=pairs\ncontrol-variates=on\n"));
  options.algorithm = "online-ridge";
  CHECK(refusal(options).starts_with("--draws pairs: is for aerr, ddaerr"));
  options.draws.reset();
  CHECK(refusal(options).starts_with("--control-variates on: is for aerr, ddaerr"));
}

TEST_CASE("pairs of draws and control variates are the default where the papers' step is not asked for") {
  LearnerOptions options;
  CHECK(draws_of(options) == Draws::kPairs);
  CHECK(uses_control_variates(options));
  options.bias = false;
  CHECK(draws_of(options) == Draws::kPairs);
  CHECK(!uses_control_variates(options));
  options.bias = true;
  options.split = Split::kPaper;
  CHECK(draws_of(options) == Draws::kSeparate);
  CHECK(uses_control_variates(options));
  options.split = Split::kEven;
  options.step = StepKind::kTheory;
  CHECK(draws_of(options) == Draws::kSeparate);
  CHECK(!uses_control_variates(options));
  options.step = StepKind::kAuto;
  for (const char* algorithm : {"online-ridge", "online-lasso", "aer", "baseline"}) {
    options.algorithm = algorithm;
    CHECK(draws_of(options) == Draws::kSeparate);
    CHECK(!uses_control_variates(options));
  }
}

}  // namespace options_test
