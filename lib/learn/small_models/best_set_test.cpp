#include "learn/small_models/best_set.h"

#include <doctest/doctest.h>
#include <memory>

#include "learn/options/prices.h"

namespace best_set_test {

using namespace glimpse;

TEST_CASE("a set may cost what an example may, and more where an example shows a part of it") {
  const auto cost_of = [](Money budget_cost, std::size_t budget, std::size_t best) {
    LearnerOptions options;
    options.algorithm = "pairwise";
    options.dimension = 1000;
    options.budget = budget;
    options.look_at_best = best;
    options.budget_cost = budget_cost;
    options.prices = std::make_shared<Prices>(options.dimension);
    return best_set_form(options, {}).cost.value();
  };
  CHECK(cost_of(6, 2, 4) == 12);
  CHECK(cost_of(6, 4, 2) == 6);
  CHECK(cost_of(kLargestMoney, 2, 2) == kLargestMoney);
  // Beyond the largest amount the limit is that one, and not what is left when 64 bits wrap.
  CHECK(cost_of(kLargestMoney, 2, 256) == kLargestMoney);
  CHECK(cost_of(kLargestMoney / 2 + 1, 2, 256) == kLargestMoney);
}

}  // namespace best_set_test
