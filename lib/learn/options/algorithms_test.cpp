#include "learn/options/algorithms.h"

#include <doctest/doctest.h>

namespace glimpse::algorithms_test {
namespace {

TEST_CASE("an algorithm's row is found by its name, and an unknown name has none") {
  for (const Algorithm& algorithm : kAlgorithms) {
    CHECK(is_algorithm(algorithm.name));
    CHECK(&algorithm_of(algorithm.name) == &algorithm);
  }
  for (const char* name : {"", "auto", "ridge", "two-phase", "gaerr", "Pairwise", "pairwise "}) {
    CAPTURE(name);
    CHECK_FALSE(is_algorithm(name));
    CHECK_FALSE(is_budgeted_first_order(name));
    CHECK_FALSE(keeps_pairs(name));
    CHECK_FALSE(has_l1_ball(name));
  }
}

TEST_CASE("what the algorithms have in common is listed in the order of the table") {
  const auto names = [](bool (*has)(std::string_view)) { return algorithm_names(has); };
  CHECK(algorithm_names() ==
        "aerr, ddaerr, two-phase-ddaerr, online-ridge, aelr, ddaelr, two-phase-ddaelr, online-lasso, aer, "
        "baseline, pairwise, pairwise-screened, apple");
  CHECK(names(has_l1_ball) == "aelr, ddaelr, two-phase-ddaelr, online-lasso, aer, baseline");
  CHECK(names(is_full_information) == "online-ridge, online-lasso, apple");
  CHECK(names(finds_products) == "apple");
  CHECK(names(wants_moments) == "ddaerr, ddaelr");
  CHECK(names(has_two_phases) == "two-phase-ddaerr, two-phase-ddaelr");
  CHECK(names(keeps_pairs) == "pairwise, pairwise-screened");
  CHECK(names(keeps_all_pairs) == "pairwise");
  CHECK(names(screens) == "pairwise-screened");
  CHECK(names(is_css10) == "aer, baseline");
  CHECK(algorithm_names(is_budgeted_first_order, " and ") ==
        "aerr, ddaerr, two-phase-ddaerr, aelr, ddaelr and two-phase-ddaelr");
  CHECK(algorithm_names(plans_by_price, " or ") ==
        "aerr, ddaerr, two-phase-ddaerr, aelr, ddaelr, two-phase-ddaelr or pairwise");
}

TEST_CASE("a learner without a step solves for its model") {
  CHECK(algorithm_names([](std::string_view name) { return !has_step(name); }) ==
        "baseline, pairwise, pairwise-screened");
  CHECK_FALSE(can_forget("aer"));
  CHECK(can_forget("pairwise"));
  CHECK(can_forget("online-ridge"));
}

}  // namespace
}  // namespace glimpse::algorithms_test
