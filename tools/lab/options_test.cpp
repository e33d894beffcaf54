#include "lab/options.h"

#include <doctest/doctest.h>
#include <optional>
#include <vector>

#include "common/command_line.h"

using namespace glimpse;
namespace po = boost::program_options;

namespace {

po::variables_map parse(std::vector<const char*> arguments) {
  po::options_description options;
  add_data_options(options);
  add_method_options(options);
  add_tuning_options(options);
  add_execution_options(options);
  arguments.insert(arguments.begin(), {"test", "--data", "simulated:ridge:-1"});
  po::variables_map values;
  REQUIRE_FALSE(parse_command_line(static_cast<int>(arguments.size()), arguments.data(), "test", "", "",
                                   options, values));
  return values;
}

Result<std::optional<TuningOptions>> tuning(const std::vector<const char*>& arguments) {
  const auto values = parse(arguments);
  return read_tuning_options(values, read_method_options(values).value());
}

}  // namespace

TEST_CASE("the defaults are those of the papers' experiments") {
  const auto values = parse({});
  const Method method = read_method_options(values).value();
  CHECK_FALSE(method.learner.bias);
  CHECK(method.learner.split == Split::kEven);
  CHECK(method.learner.inner_sampling == InnerSampling::kImproved);
  CHECK(method.learner.confidence == 0.0);
  CHECK(method.learner.phase1_fraction == doctest::Approx(0.1));
  const DataOptions data = read_data_options(values).value();
  CHECK(data.examples == 20000);
  CHECK(data.split_seed == 0);
  CHECK_FALSE(data.test_share);
}

TEST_CASE("a radius or a step that is given is the only candidate") {
  CHECK_FALSE(tuning({}).value().has_value());
  const auto searched = tuning({"--cv", "10"}).value();
  CHECK(searched->radii.empty());
  CHECK(searched->steps.empty());
  const auto fixed = tuning({"--cv", "10", "--radius", "3", "--step", "0.5"}).value();
  CHECK(fixed->radii == std::vector<double>{3});
  CHECK(fixed->steps == std::vector<double>{0.5});
  const auto grid = tuning({"--cv", "5", "--radii", "1,2", "--steps", "0.1,0.2"}).value();
  CHECK(grid->radii == std::vector<double>{1, 2});
  CHECK(grid->steps == std::vector<double>{0.1, 0.2});
  const auto adagrad = tuning({"--cv", "10", "--step", "adagrad"}).value();
  CHECK(adagrad->steps.empty());
  CHECK(adagrad->step_prefix == "adagrad:");
  const auto rate = tuning({"--cv", "10", "--step", "adagrad:0.5"}).value();
  CHECK(rate->steps == std::vector<double>{0.5});
  CHECK(rate->step_prefix == "adagrad:");
  CHECK(tuning({"--cv", "10", "--step", "theory"}).error().message ==
        "--step theory: --cv 10 would choose a number in its place; leave one of the two out");
  CHECK_FALSE(tuning({"--cv", "10", "--step", "auto"}).has_value());
  CHECK(tuning({"--cv-repeats", "3"}).error().message == "--cv-repeats 3: needs --cv FOLDS");
  CHECK(tuning({"--cv", "10", "--cv-repeats", "3"}).value()->repeats == 3);
  CHECK_FALSE(tuning({"--radii", "1,2"}).has_value());
  CHECK_FALSE(tuning({"--cv", "1"}).has_value());
}

TEST_CASE("prefixes") {
  const auto points = parse_prefixes("100,1000,all").value();
  CHECK(points.counts == std::vector<std::uint64_t>{100, 1000});
  CHECK(points.all);
  CHECK_FALSE(points.in_attributes);
  for (const char* wrong : {"", "0", "100,", "1e3", "some"}) CHECK_FALSE(parse_prefixes(wrong).has_value());
}

TEST_CASE("what is out of range is refused with its name") {
  CHECK(read_data_options(parse({"--test-share", "10"})).error().message ==
        "--test-share is '10'; it must be a share between 0% and 100%");
  CHECK(read_method_options(parse({"--radius", "-1"})).error().message ==
        "--radius -1: must be a number above 0");
  CHECK(read_method_options(parse({"--split", "odd"})).error().message ==
        "--split odd: must be one of even, paper");
}
