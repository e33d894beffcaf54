#include "daemon/config/configuration.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "daemon/config/config_test_support.h"

namespace configuration_test {

using namespace glimpse;
using namespace glimpse::test;
using namespace std::chrono_literals;

TEST_CASE("where pairwise solves: inline for pipes, in the background where there is a door, or as told") {
  const std::vector<std::string> model{"--dimension", "400", "--budget", "2", "--algorithm", "pairwise"};
  const auto background = [&](std::vector<std::string> more) {
    more.insert(more.begin(), model.begin(), model.end());
    return solves_in_background(read(more));
  };
  CHECK_FALSE(background({}));
  CHECK_FALSE(background({"--input", "file"}));
  CHECK(background({"--http", "127.0.0.1:0"}));
  CHECK(background({"--listen", "tcp:127.0.0.1:0"}));
  CHECK(background({"--solver", "background"}));
  CHECK_FALSE(background({"--http", "127.0.0.1:0", "--solver", "inline"}));
  CHECK(refusal({"--algorithm", "aerr", "--solver", "inline"}) ==
        "--solver inline: has an effect on --algorithm pairwise and pairwise-screened only");
  Configuration small = read({"--dimension", "128", "--budget", "2", "--http", "127.0.0.1:0"});
  CHECK_FALSE(solves_in_background(small));
  small.learner.dimension = 129;
  CHECK(solves_in_background(small));
}

}  // namespace configuration_test
