#include "lab/method_options.h"

#include <doctest/doctest.h>
#include <optional>
#include <vector>

#include "common/tool.h"

namespace method_options_test {

using namespace glimpse;

namespace {

struct Trial {
  MethodOptions method;
  TuningOptions tuning;
};

Result<Trial> parse(std::vector<const char*> arguments) {
  std::vector<OptionRow> rows =
      joined({of_part(method_options(), &Trial::method), of_part(tuning_options(), &Trial::tuning)});
  std::ranges::find(rows, "step", &OptionRow::name)
      ->rules.push_back(step_beside_cv<Trial>([](auto& t) -> auto& { return t.method; },
                                              [](auto& t) -> auto& { return t.tuning; }));
  arguments.insert(arguments.begin(), "test");
  Trial trial;
  const auto parsed =
      read_options(static_cast<int>(arguments.size()), arguments.data(), {"test", ""}, rows, trial);
  if (!parsed) return parsed.error();
  return trial;
}

std::optional<TuningOptions> tuning(const std::vector<const char*>& arguments) {
  const Trial trial = parse(arguments).value();
  return tuning_of(trial.tuning, trial.method);
}

std::string error_of(const std::vector<const char*>& arguments) { return parse(arguments).error().message; }

}  // namespace

TEST_CASE("a method's defaults are those of the papers' experiments") {
  const Method method = parse({}).value().method.method;
  CHECK_FALSE(method.learner.bias);
  CHECK(method.learner.split == Split::kEven);
  CHECK(method.learner.inner_sampling == InnerSampling::kImproved);
  CHECK(method.learner.draws == Draws::kSeparate);
  CHECK(method.learner.control_variates == false);
  CHECK(method.learner.confidence == 0.0);
  CHECK(method.learner.phase1_fraction == doctest::Approx(0.1));
  CHECK(method.learner.buying == Buying::kPriced);
  CHECK(method.passes == 1);
}

TEST_CASE("a radius or a step that is given is the only candidate") {
  CHECK_FALSE(tuning({}).has_value());
  const auto searched = tuning({"--cv", "10"}).value();
  CHECK(searched.folds == 10);
  CHECK(searched.radii.empty());
  CHECK(searched.steps.empty());
  const auto fixed = tuning({"--cv", "10", "--radius", "3", "--step", "0.5"}).value();
  CHECK(fixed.radii == std::vector<double>{3});
  CHECK(fixed.steps == std::vector<double>{0.5});
  const auto grid = tuning({"--cv", "5", "--radius", "3", "--radii", "1,2", "--steps", "0.1,0.2"}).value();
  CHECK(grid.radii == std::vector<double>{1, 2});
  CHECK(grid.steps == std::vector<double>{0.1, 0.2});
  const auto adagrad = tuning({"--cv", "10", "--step", "adagrad"}).value();
  CHECK(adagrad.steps.empty());
  CHECK(adagrad.step_prefix == "adagrad:");
  const auto rate = tuning({"--cv", "10", "--step", "adagrad:0.5"}).value();
  CHECK(rate.steps == std::vector<double>{0.5});
  CHECK(rate.step_prefix == "adagrad:");
  CHECK(tuning({"--cv", "10", "--cv-repeats", "3"}).value().repeats == 3);
}

TEST_CASE("what belongs to cross-validation needs folds, and a step that it may choose") {
  CHECK(error_of({"--cv", "10", "--step", "theory"}) ==
        "--step theory: --cv FOLDS would choose a number in its place; leave one of the two out");
  CHECK(parse({"--cv", "10", "--step", "auto"}).has_error());
  CHECK(parse({"--step", "theory"}).has_value());
  CHECK(error_of({"--cv-repeats", "3"}) == "--cv-repeats 3: needs --cv FOLDS");
  CHECK(error_of({"--cv-repeats", "1"}) == "--cv-repeats 1: needs --cv FOLDS");
  CHECK(error_of({"--radii", "1,2"}) == "--radii 1,2: needs --cv FOLDS");
  CHECK(error_of({"--steps", "1"}) == "--steps 1: needs --cv FOLDS");
  CHECK(error_of({"--cv", "1"}) == "--cv 1: must be 0 or from 2");
}

TEST_CASE("a learner's option that is refused is named as its own table has it") {
  CHECK(error_of({"--radius", "-1"}) == "--radius -1: must be a number above 0");
  CHECK(error_of({"--split", "odd"}) == "--split odd: must be one of even, paper");
  CHECK(error_of({"--passes", "0"}) == "--passes 0: must be a whole number from 1 to 1000000");
}

}  // namespace method_options_test
