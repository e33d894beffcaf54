#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "learn/core/solving.h"
#include "learn/factory.h"
#include "learn/judges/judge_schedule.h"
#include "learn/learner_test_support.h"

namespace adopted_judges_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr std::size_t kWide = 300;  // its sums are copied by rows
constexpr std::uint64_t kExamples = 900;

LearnerOptions options_for(const char* algorithm, std::size_t budget) {
  LearnerOptions options = options_of(algorithm, kWide, budget);
  options.bias = true;
  return options;
}

double label_of(const std::vector<double>& x) { return x[0] + x[1] - x[2] + x[3]; }

// Learns `examples`, solving as a thread of its own would: after every `pause` of them; 0: nobody solves.
void learn(Learner& learner, Random& random, Source& source, std::uint64_t examples, std::uint64_t pause,
           double sign = 1) {
  Plan plan;
  for (std::uint64_t t = 1; t <= examples; ++t) {
    const std::vector<double> x = source.next();
    learner.plan(random, plan);
    learner.learn(plan, reveal(plan, x), sign * label_of(x), 1);
    if (pause == 0 || t % pause != 0) continue;
    Solving& solving = *learner.solving();
    if (auto ahead = solving.take_ahead()) ahead->run({});
    solving.begin_capture();
    while (!solving.capture(std::size_t{1} << 14)) continue;
    solving.adopt(solving.solve({}));
  }
}

struct Loss {
  double mean;
  double squares;
  std::uint64_t judged;
  bool operator==(const Loss&) const = default;
};
Loss loss_of(const Learner& learner) {
  const auto& total = learner.progressive_loss().total();
  return {total.mean, total.squares, learner.describe().guard.judged};
}

// Of a learner for which others solve after every `pause` examples.
Loss loss_with(const LearnerOptions& options, std::uint64_t pause) {
  const auto learner = make_learner(options).value();
  Random random(1);
  Source source(kWide, 2);
  learn(*learner, random, source, kExamples, pause);
  return loss_of(*learner);
}

std::string bytes_of(const State& state) {
  std::string all;
  for (const Tensor& tensor : state.tensors()) {
    all += tensor.name;
    all.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  }
  return all;
}

}  // namespace

TEST_CASE(
    "the progressive loss is the same to the bit, on whichever thread and whenever judges are solved for") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    for (const std::size_t budget : {std::size_t{5}, std::size_t{40}}) {  // pairs at once, and by rows
      CAPTURE(algorithm);
      CAPTURE(budget);
      LearnerOptions options = options_for(algorithm, budget);
      SUBCASE("") {}
      SUBCASE("with --drift auto") { options.drift = Drift::kAuto; }
      SUBCASE("with a half-life") { options.half_life = 200; }
      const Loss alone = loss_with(options, 0);
      for (const std::uint64_t pause : {53, 330}) {
        CAPTURE(pause);
        CHECK(loss_with(options, pause) == alone);
      }
    }
  }
}

TEST_CASE("a model judges from the example on at which there are a quarter more than it is made of") {
  const auto learner = make_learner(options_for("pairwise", 40)).value();
  Random random(1);
  Source source(kWide, 2);
  std::vector<std::uint64_t> judged;
  for (const std::uint64_t examples : {319, 1, 1, 99}) {  // d²/64 = 1,406: a model of 256 examples
    learn(*learner, random, source, examples, 0);
    judged.push_back(learner->describe().guard.judged);
  }
  CHECK(judged == std::vector<std::uint64_t>{239, 0, 1, 100});  // before, that of 64 from the 80th on
}

TEST_CASE("a restart before a model judges changes nothing, whether it was solved for or not") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    for (const std::uint64_t learned : {256, 257, 300}) {
      for (const bool solved : {false, true}) {
        CAPTURE(algorithm);
        CAPTURE(learned);
        CAPTURE(solved);
        const LearnerOptions options = options_for(algorithm, 5);
        const auto learner = make_learner(options).value();
        Random random(1);
        Source source(kWide, 2);
        learner->solving()->begin_capture();
        learn(*learner, random, source, learned, 0);
        if (solved)
          if (auto ahead = learner->solving()->take_ahead()) ahead->run({});
        State state;
        state.begin();
        learner->save(state);
        state.finish();
        const auto restored = make_learner(options).value();
        REQUIRE(restored->restore(state).has_value());
        Random other = random;
        Source same = source;
        learn(*learner, random, source, kExamples - learned, 0);
        learn(*restored, other, same, kExamples - learned, 100);
        CHECK(loss_of(*restored) == loss_of(*learner));
      }
    }
  }
}

TEST_CASE("a state is the same whether the learner solves for its judges or leaves them to others") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    for (const std::uint64_t examples : {256, 257, 300, 321, 900}) {  // 257 and 300: a judge is on its way
      CAPTURE(algorithm);
      CAPTURE(examples);
      const LearnerOptions options = options_for(algorithm, 5);
      std::vector<std::string> states;
      for (const int others : {-1, 0, 1, 100}) {  // nobody; nobody comes; at once; now and then
        const auto learner = make_learner(options).value();
        if (others >= 0) learner->solving()->leave_ahead_to_others();
        Random random(1);
        Source source(kWide, 2);
        for (std::uint64_t t = 1; t <= examples; ++t) {
          learn(*learner, random, source, 1, 0);
          if (others <= 0 || t % static_cast<std::uint64_t>(others) != 0) continue;
          if (auto ahead = learner->solving()->take_ahead()) ahead->run({});
        }
        states.push_back(bytes_of(saved(*learner)));
      }
      for (const std::string& state : states) CHECK(state == states.front());
    }
  }
}

TEST_CASE("with adopted models one that does harm is withheld") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    CAPTURE(algorithm);
    const auto learner = make_learner(options_for(algorithm, 100)).value();
    Random random(1);
    Source source(kWide, 2);
    learn(*learner, random, source, 1400, 200);
    CHECK(learner->describe().guard.served == Served::kNewest);
    CHECK(learner->describe().guard.excess < 0);
    learn(*learner, random, source, 600, 200, -1);
    CHECK(learner->describe().guard.served == Served::kMean);
    CHECK(learner->describe().guard.excess > 2 * learner->describe().guard.standard_error);
    Model model;
    learner->model(model);
    CHECK(std::all_of(model.weights.begin(), model.weights.end(), [](double w) { return w == 0; }));
  }
}

TEST_CASE("models of many attributes come at fewer counts, and judge when there was time to solve for them") {
  LearnerOptions options = options_of("pairwise", 2000, 20);
  const JudgeSchedule schedule(options);
  std::vector<std::uint64_t> counts;
  for (std::uint64_t n = 1; n <= std::uint64_t{1} << 21; n *= 2)
    if (schedule.is_due(n, 2000)) counts.push_back(n);
  CHECK(counts == std::vector<std::uint64_t>{4096, 65536, 262144, 1048576, 2097152});
  CHECK(schedule.judges_from(4096, 2000) == 8192);
  CHECK(schedule.judges_from(262144, 2000) == 327680);
  CHECK(schedule.judges_from(4096, 64) == 4096);
}

}  // namespace adopted_judges_test
