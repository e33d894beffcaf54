#include "learn/options/state_options.h"

#include <doctest/doctest.h>

namespace state_options_test {

using namespace glimpse;

TEST_CASE("an option of a state is found by its whole name") {
  State state;
  state.begin();
  state.put_text("learner.options", "algorithm=pairwise\ndimension=12\nbudget=5\nbudget-cost=on");
  state.finish();
  CHECK(option_of(state, "algorithm") == "pairwise");
  CHECK(option_of(state, "budget-cost") == "on");
  CHECK(option_of(state, "dim").empty());
  CHECK(number_of(state, "dimension") == 12);
  CHECK(number_of(state, "budget") == 5);
  CHECK(number_of(state, "algorithm") == 0);
  CHECK(option_of(State(), "algorithm").empty());
}

}  // namespace state_options_test
