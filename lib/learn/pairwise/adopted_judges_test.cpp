#include <algorithm>
#include <doctest/doctest.h>

#include "learn/core/solving.h"
#include "learn/factory.h"
#include "learn/learner_test_support.h"
#include "learn/pairwise/pairwise_rules.h"

namespace adopted_judges_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr std::size_t kDimension = kLargestJudge + 76;
constexpr std::uint64_t kPause = 256;  // examples between two solutions of others

// Learns, and solves after every kPause examples as a thread of its own would.
void learn_beside_solver(Learner& learner, Random& random, Source& source, std::uint64_t examples,
                         double sign) {
  Plan plan;
  for (std::uint64_t t = 1; t <= examples; ++t) {
    const std::vector<double> x = source.next();
    learner.plan(random, plan);
    learner.learn(plan, reveal(plan, x), sign * (x[0] + x[1] - x[2] + x[3]), 1);
    if (t % kPause != 0) continue;
    Solving& solving = *learner.solving();
    solving.begin_capture();
    while (!solving.capture(std::size_t{1} << 30)) continue;
    solving.adopt(solving.solve({}));
  }
}

bool is_zero(double weight) { return weight == 0; }

}  // namespace

TEST_CASE("above kLargestJudge attributes adopted models judge, and one that does harm is withheld") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    CAPTURE(algorithm);
    LearnerOptions options = options_of(algorithm, kDimension, 200);
    options.bias = true;
    const auto learner = make_learner(options).value();
    Random random(1);
    Source source(kDimension, 2);
    learn_beside_solver(*learner, random, source, 9 * kPause, 1);
    CHECK(learner->describe().guard.served == Served::kNewest);
    CHECK(learner->describe().guard.excess < 0);
    Model model;
    learner->model(model);
    CHECK_FALSE(std::all_of(model.weights.begin(), model.weights.end(), is_zero));

    learn_beside_solver(*learner, random, source, 2 * kPause, -1);
    CHECK(learner->describe().guard.served == Served::kMean);
    CHECK(learner->describe().guard.excess > 2 * learner->describe().guard.standard_error);
    learner->model(model);
    CHECK(std::all_of(model.weights.begin(), model.weights.end(), is_zero));
  }
}

TEST_CASE("adopted models judge at counts that double, however often others solve") {
  LearnerOptions options = options_of("pairwise", kDimension, 200);
  options.bias = true;
  const auto learner = make_learner(options).value();
  Random random(1);
  Source source(kDimension, 2);
  std::vector<std::uint64_t> judged;
  for (std::uint64_t n = kPause; n <= 5 * kPause; n += kPause) {
    learn_beside_solver(*learner, random, source, kPause, 1);
    judged.push_back(learner->describe().guard.judged);
  }
  // Adopted at 256, 512, 768, ...: judges come at 256, 512 and 1,024.
  CHECK(judged == std::vector<std::uint64_t>{0, 0, kPause, 0, kPause});
}

}  // namespace adopted_judges_test
