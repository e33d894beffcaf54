#include "lab/data_options.h"

#include <doctest/doctest.h>
#include <vector>

#include "common/tool.h"

namespace data_options_test {

using namespace glimpse;

namespace {

Result<DataOptions> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), {"test", "--data", "simulated:ridge:-1"});
  DataOptions data;
  const auto parsed =
      read_options(static_cast<int>(arguments.size()), arguments.data(), {"test", ""}, data_options(), data);
  if (!parsed) return parsed.error();
  return data;
}

}  // namespace

TEST_CASE("data that nothing more is said of is split once, and all of it is used") {
  const DataOptions data = parse({}).value();
  CHECK(data.data == "simulated:ridge:-1");
  CHECK(data.examples == 20000);
  CHECK(data.largest_training == SIZE_MAX);
  CHECK(data.split_seed == 0);
  CHECK_FALSE(data.test_share);
  CHECK_FALSE(data.scaling);
  CHECK_FALSE(data.positive);
}

TEST_CASE("options of data go where they belong") {
  const DataOptions data = parse({"--examples", "300", "--split-seed", "each", "--test-share", "10%",
                                  "--scale", "maxabs", "--positive", "-2", "--standardise-labels"})
                               .value();
  CHECK(data.examples == 300);
  CHECK(data.largest_training == 300);
  CHECK_FALSE(data.split_seed);
  CHECK(data.test_share == doctest::Approx(0.1));
  CHECK(data.scaling == Scaling::kMaxAbs);
  CHECK(data.positive == -2);
  CHECK(data.standardise_labels);
}

TEST_CASE("a share without its sign and a seed that is none are refused with their names") {
  CHECK(parse({"--test-share", "10"}).error().message ==
        "--test-share 10: must be a share between 0% and 100%");
  CHECK(parse({"--split-seed", "x"}).error().message ==
        "--split-seed x: must be each or a whole number from 0 to 18446744073709551615");
}

}  // namespace data_options_test
