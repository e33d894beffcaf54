#include "learn/covariance/settled_attributes.h"

#include <cmath>
#include <doctest/doctest.h>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "learn/learner_test_support.h"
#include "learn/solver/pairwise_solver.h"

namespace settled_attributes_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

std::vector<bool> young(const std::vector<std::uint64_t>& ages) { return too_young(ages); }

}  // namespace

TEST_CASE("an attribute is too young below a quarter of the age of those that have half of all ages") {
  CHECK(young({}).empty());
  CHECK(young({0, 0}) == std::vector<bool>{false, false});
  CHECK(young({100, 100, 24, 25, 0}) == std::vector<bool>{false, false, true, false, true});
  // Six young ones have 300 of 700 together.
  CHECK(young({400, 50, 50, 50, 50, 50, 50}) == std::vector<bool>{false, true, true, true, true, true, true});
  // Twenty have 1,000 of 1,400: the old one is the exception.
  std::vector<std::uint64_t> ages(20, 50);
  ages.push_back(400);
  CHECK(young(ages) == std::vector<bool>(21, false));
}

TEST_CASE("what is left out of a snapshot changes nothing of the model of the others") {
  constexpr std::size_t kDimension = 6;
  PairMoments all(kDimension);
  PairMoments others(kDimension);
  Random random(3);
  for (int t = 0; t < 300; ++t) {
    std::vector<double> x(kDimension);
    double label = random.uniform();
    for (std::size_t i = 0; i < kDimension; ++i) {
      x[i] = random.uniform() - 0.5;
      label += x[i];
    }
    const std::vector<Attribute> seen = {0, 1, 3, 4};
    others.add(seen, std::vector<double>{x[0], x[1], x[3], x[4]}, label, 1);
    std::vector<Attribute> every(kDimension);
    std::iota(every.begin(), every.end(), Attribute{0});
    all.add(every, x, label, 1);
  }
  PairSnapshot left_out;
  left_out.take(all, true);
  left_out.leave_out({false, false, true, false, false, true});
  PairSnapshot never_seen;
  never_seen.take(others, true);
  PairwiseSolver solver;
  Model model;
  Model same;
  solver.solve(left_out, std::nullopt, model);
  solver.solve(never_seen, std::nullopt, same);
  CHECK(model.bias == same.bias);
  CHECK(model.weights == same.weights);
  CHECK(model.weights[2] == 0);
  CHECK(model.weights[0] > 0.5);
}

}  // namespace settled_attributes_test
