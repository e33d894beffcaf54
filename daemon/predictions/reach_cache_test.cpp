#include <cstring>
#include <doctest/doctest.h>

#include "base/random.h"
#include "learn/factory.h"
#include "learn/inference/predictor.h"

namespace reach_cache_test {

using namespace glimpse;

namespace {

bool are_same(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

}  // namespace

TEST_CASE(
    "reach cache: a value is what the learner's own reach makes of it, whatever was learned in between") {
  for (const char* const algorithm : {"pairwise", "pairwise-screened"})
    for (const std::size_t dimension : {std::size_t{6}, ReachCache::kMost + 3}) {
      LearnerOptions options;
      options.algorithm = algorithm;
      options.dimension = options.algorithm == "pairwise" ? 6 : dimension;
      options.budget = 4;
      if (options.algorithm != "pairwise") options.active = 4;
      const auto learner = make_learner(options);
      REQUIRE(learner.has_value());
      Random random(1);
      ReachCache cache;
      Plan plan;
      for (int example = 0; example < 400; ++example) {
        if (example % 3 > 0) {
          (*learner)->plan(random, plan);
          std::vector<double> values;
          for (std::size_t a = 0; a < plan.attributes.size(); ++a)
            values.push_back(10 * random.uniform() - 5);
          (*learner)->learn(plan, values, values.front(), 1);
        }
        cache.begin(**learner);
        for (std::size_t k = 0; k < 12; ++k) {
          const auto i =
              static_cast<Attribute>(k % 2 == 0 ? random.below(options.dimension)
                                                : options.dimension - 1 - k / 2 % options.dimension);
          const double value = k % 5 == 4 ? NAN : 100 * random.uniform() - 50;
          CHECK(are_same(cache.within(i, value), within_reach(value, (*learner)->reach(i))));
          CHECK(are_same(cache.within(i, value), within_reach(value, (*learner)->reach(i))));
        }
      }
    }
}

}  // namespace reach_cache_test
