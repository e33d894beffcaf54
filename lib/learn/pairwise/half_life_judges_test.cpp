#include <algorithm>
#include <doctest/doctest.h>
#include <memory>
#include <vector>

#include "learn/factory.h"
#include "learn/judges/judge_schedule.h"
#include "learn/learner_test_support.h"

namespace half_life_judges_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

LearnerOptions options_for(const char* algorithm, std::size_t dimension, std::size_t budget,
                           std::uint64_t half_life) {
  LearnerOptions options = options_of(algorithm, dimension, budget);
  options.bias = true;
  options.half_life = half_life;
  return options;
}

void learn(Learner& learner, Random& random, Source& source, std::uint64_t examples, double sign) {
  Plan plan;
  for (std::uint64_t t = 0; t < examples; ++t) {
    const std::vector<double> x = source.next();
    learner.plan(random, plan);
    const double label = sign * (x[0] + x[1] - x[2]);
    REQUIRE(learner.learn(plan, reveal(plan, x), label, 1) == Outcome::kLearned);
  }
}

std::vector<std::uint64_t> due_counts(const JudgeSchedule& schedule, std::size_t solved, std::uint64_t most) {
  std::vector<std::uint64_t> counts;
  for (std::uint64_t n = 1; n <= most; ++n)
    if (schedule.is_due(n, solved)) counts.push_back(n);
  return counts;
}

}  // namespace

TEST_CASE("with a half-life a model that became good answers again within three half-lives of a change") {
  constexpr std::uint64_t kHalfLife = 500;
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    for (const std::uint64_t before : {33500, 40000, 60000}) {  // where the next power of two is far away
      CAPTURE(algorithm);
      CAPTURE(before);
      const auto learner = make_learner(options_for(algorithm, 8, 4, kHalfLife)).value();
      Random random(1);
      Source source(8, 2);
      learn(*learner, random, source, before, 1);
      CHECK(learner->describe().guard.served == Served::kNewest);
      learn(*learner, random, source, 200, -1);
      CHECK(learner->describe().guard.served != Served::kNewest);
      learn(*learner, random, source, 3 * kHalfLife - 200, -1);
      CHECK(learner->describe().guard.served == Served::kNewest);
      const std::vector<Entry> entries{{0, 1.0}, {1, 1.0}, {2, -1.0}};
      CHECK(learner->predict(entries) < -1.5);
    }
  }
}

TEST_CASE("with a half-life a model judges once in it, or in as many as a solve takes a part of the time") {
  for (const std::size_t solved : {std::size_t{12}, std::size_t{200}, std::size_t{1500}}) {
    for (const std::uint64_t half_life : {7, 300, 5000}) {
      CAPTURE(solved);
      CAPTURE(half_life);
      const JudgeSchedule schedule(options_for("pairwise", solved, 4, half_life));
      const std::uint64_t solve = solved * solved / 16;
      const std::uint64_t most = std::max<std::uint64_t>({half_life, 64, 2 * (solved / 4), 2 * solve});
      const auto counts = due_counts(schedule, solved, 10 * most);
      REQUIRE(counts.size() > 4);
      for (std::size_t k = 1; k < counts.size(); ++k) {
        if (counts[k] > most) CHECK(counts[k] - counts[k - 1] <= most);
        // None is given up for the next before it judged.
        if (counts[k - 1] > most) CHECK(schedule.judges_from(counts[k - 1], solved) < counts[k]);
        if (counts[k - 1] > most) CHECK(counts[k] - counts[k - 1] >= std::max<std::uint64_t>(32, solve));
        CHECK(schedule.is_near(counts[k], solved));
        CHECK(schedule.is_near(counts[k] - 1, solved));
      }
    }
  }
}

TEST_CASE("choices of what to look at, which take longer, come at some of these models alone") {
  LearnerOptions options = options_for("pairwise", 80, 20, 1000);
  options.look_at_best = 3;
  const JudgeSchedule schedule(options);
  std::vector<std::uint64_t> chosen;
  for (const std::uint64_t n : due_counts(schedule, 80, 200000))
    if (n >= 1000 && schedule.chooses(n, 80)) chosen.push_back(n);
  CHECK(chosen == std::vector<std::uint64_t>{128000});
  CHECK(schedule.chooses(512, 80));
}

TEST_CASE("a restart while a model is made that keeps the choice goes on with the same bits") {
  LearnerOptions options = options_for("pairwise", 80, 20, 1000);
  options.look_at_best = 3;
  const auto learner = make_learner(options).value();
  Random random(1);
  Source source(80, 2);
  learn(*learner, random, source, 7000, 1);
  REQUIRE(learner->describe().best);
  const std::vector<Attribute> best = *learner->describe().best;
  CHECK(best == std::vector<Attribute>{0, 1, 2});
  learn(*learner, random, source, 1100, -1);
  const auto again = make_learner(options).value();
  REQUIRE(again->restore(saved(*learner)).has_value());
  Random other = random;
  Source same = source;
  learn(*learner, random, source, 3000, -1);
  learn(*again, other, same, 3000, -1);
  CHECK(*again->describe().best == best);
  CHECK(again->shared_model()->weights == learner->shared_model()->weights);
  CHECK(again->progressive_loss().total().mean == learner->progressive_loss().total().mean);
}

}  // namespace half_life_judges_test
