#include "learn/pairwise/look_phase.h"

#include <algorithm>
#include <doctest/doctest.h>

#include "learn/costs_test_support.h"
#include "learn/factory.h"
#include "learn/turning_stream_test_support.h"

namespace look_phase_test {

using namespace glimpse;
using namespace glimpse::test;
using Cause = LookPhase::Cause;

namespace {

constexpr SamplingSpread kUniform{.ratio = 1, .effective = 10, .possible = 10};
constexpr SamplingSpread kUneven{.ratio = 9, .effective = 4, .possible = 10};

LearnerReport told(const LookPhase& phase) {
  LearnerReport report;
  phase.tell(report);
  return report;
}

LearnerOptions options_for(const std::string& algorithm, std::size_t budget = 5) {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = kDimension;
  options.budget = budget;
  return options;
}

// Attributes alike, or the first four of ten times the size; the label is their sum, or noise.
void learn_sized(Learner& learner, Random& random, Random& source, bool sized, bool signal, int examples) {
  Plan plan;
  for (int t = 0; t < examples; ++t) {
    learner.plan(random, plan);
    std::vector<double> values;
    double label = source.uniform() - 0.5;
    for (std::size_t i = 0; i < kDimension; ++i) {
      const double wide = source.uniform() - 0.5;
      const double x = sized && i >= 4 && source.uniform() < 0.95 ? 0 : wide;
      if (signal && i < 2) label += 3 * x;
      if (std::find(plan.attributes.begin(), plan.attributes.end(), i) != plan.attributes.end())
        values.push_back(x);
    }
    REQUIRE(learner.learn(plan, values, label, 1) == Outcome::kLearned);
  }
}

}  // namespace

TEST_CASE("a phase begins when the sums prefer some attributes, and may end again") {
  LookPhase phase;
  CHECK(told(phase).phase == 1);
  CHECK(told(phase).phase_since == 0);
  CHECK(told(phase).phase_reason == "phase 1: uniform: nothing is known of the attributes yet");
  phase.planned({Cause::kSpread, kUniform, 100}, kUniform, 1);
  CHECK(told(phase).phase_reason == "phase 1: uniform: no attribute varies or explains more than others");
  phase.planned({Cause::kSpread, kUneven, 100}, kUneven, 6);
  phase.planned({Cause::kLabel, kUneven, 100}, kUneven, 8);
  CHECK(told(phase).phase == 2);
  CHECK(told(phase).phase_since == 6);
  CHECK(told(phase).looks.effective == 4);
  CHECK(told(phase).phase_reason ==
        "phase 2 since example 6: looks go to attributes that vary more or explain more of the label");
  phase.planned({Cause::kLabel, kUniform, 100}, kUniform, 12);
  CHECK(told(phase).phase_reason ==
        "phase 1 since example 12: uniform: no attribute varies or explains more than others");
}

TEST_CASE("what few looks seem to prefer may be chance") {
  LookPhase phase;
  constexpr SamplingSpread kSlightly{.ratio = 3, .effective = 9.5, .possible = 10};
  phase.planned({Cause::kSpread, kSlightly, 4}, kSlightly, 8);
  CHECK(told(phase).phase == 1);
  phase.planned({Cause::kSpread, kSlightly, 40}, kSlightly, 80);
  CHECK(told(phase).phase_since == 80);
}

TEST_CASE("prices alone make no second phase") {
  LookPhase phase;
  phase.planned({Cause::kPrices, kUneven, 100}, kUneven, 6);
  CHECK(told(phase).phase == 1);
  CHECK(told(phase).looks.ratio == 9);
  phase.planned({Cause::kSpread, kUniform, 100}, kUneven, 6);  // uneven for its prices
  CHECK(told(phase).phase == 1);
}

TEST_CASE("what a checkpoint says is restored, and what is no phase is refused") {
  LookPhase phase;
  phase.planned({Cause::kLabel, kUneven, 100}, kUneven, 6);
  State state;
  state.begin();
  phase.save(state);
  state.finish();
  LookPhase restored;
  REQUIRE(restored.restore(state, kUneven).has_value());
  CHECK(told(restored).phase_reason == told(phase).phase_reason);
  CHECK(told(restored).phase_since == 6);

  State old;
  old.begin();
  old.finish();
  REQUIRE(restored.restore(old, kUneven).has_value());
  CHECK(told(restored).phase == 2);
  CHECK_FALSE(told(restored).phase_since.has_value());
  REQUIRE(restored.restore(old, kUniform).has_value());
  CHECK(told(restored).phase == 1);

  for (const std::vector<std::uint64_t>& bad :
       {std::vector<std::uint64_t>{0, 1, 1}, {3, 1, 1}, {1, 1, 99}, {1, 1}}) {
    State wrong;
    wrong.begin();
    wrong.put_copy<std::uint64_t>("looks.phase", bad);
    wrong.finish();
    CHECK(restored.restore(wrong, kUniform).error().code == ErrorCode::kCorrupt);
  }
}

TEST_CASE(
    "with --looks uniform all attributes are drawn alike, whatever was learned, before and after a restart") {
  LearnerOptions options = options_for("pairwise");
  options.looks = Looks::kUniform;
  auto learner = make_learner(options).value();
  Random random(1);
  Random source(2);
  learn_sized(*learner, random, source, true, true, 4000);
  const std::string reason = "phase 1: uniform, whatever was learned (--looks uniform)";
  CHECK(learner->describe().looks.ratio == 1);
  CHECK(learner->describe().phase_reason == reason);
  State state;
  state.begin();
  learner->save(state);
  state.finish();
  auto restored = make_learner(options).value();
  const Status status = restored->restore(state);
  REQUIRE_MESSAGE(status.has_value(), (status ? "" : status.error().message));
  CHECK(restored->describe().looks.ratio == 1);
  CHECK(restored->describe().phase_reason == reason);
}

TEST_CASE("the default leaves uniform looks where attributes differ, and returns to them where they do not") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    CAPTURE(algorithm);
    auto learner = make_learner(options_for(algorithm)).value();
    CHECK(learner->describe().phase == 1);
    CHECK(learner->describe().looks.ratio == 1);
    CHECK(learner->describe().looks.effective == doctest::Approx(20));
    Random random(1);
    Random source(2);
    learn_sized(*learner, random, source, true, true, 4000);
    const LearnerReport report = learner->describe();
    CHECK(report.phase == 2);
    CHECK(report.phase_since > 0U);
    CHECK(report.looks.effective < 16);
    CHECK(report.looks.ratio > 2);

    auto alike = make_learner(options_for(algorithm)).value();
    learn_sized(*alike, random, source, false, false, 20000);
    CHECK(alike->describe().phase == 1);
    CHECK(alike->describe().looks.effective > 18);
    CHECK(alike->describe().phase_reason.ends_with(
        "uniform: no attribute varies or explains more than others"));
  }
}

TEST_CASE("phases are the same after a restart, with a half-life and under a limit of cost as well") {
  for (const char* algorithm : {"pairwise", "pairwise-screened", "two-phase-ddaerr", "aerr"}) {
    for (const auto& [aged, priced] : {std::pair{false, false}, {true, false}, {false, true}}) {
      CAPTURE(algorithm);
      LearnerOptions options = options_for(algorithm);
      if (aged) options.half_life = 500;
      if (priced && options.algorithm == "pairwise-screened") continue;
      if (priced) {
        std::vector<Money> prices(kDimension, 3);
        prices[0] = 10;
        options.prices = prices_of(prices);
        options.budget_cost = 20;
      }
      auto learner = make_learner(options).value();
      Random random(1);
      Random source(2);
      learn_sized(*learner, random, source, true, true, 3001);
      auto resumed = make_learner(options).value();
      REQUIRE(resumed->restore(saved(*learner)).has_value());
      const LearnerReport before = learner->describe();
      const LearnerReport after = resumed->describe();
      CHECK(after.phase == before.phase);
      CHECK(after.phase_since == before.phase_since);
      CHECK(after.phase_reason == before.phase_reason);
      CHECK(after.looks.ratio == before.looks.ratio);
      CHECK(after.looks.effective == before.looks.effective);
      if (options.algorithm == "pairwise") CHECK(after.phase == 2);
    }
  }
}

TEST_CASE("learners of one phase say what they do instead") {
  const auto reason = [](const char* algorithm) {
    LearnerOptions options = options_for(algorithm);
    options.radius = 1;
    if (options.algorithm == "aer") options.step = StepKind::kNumber;
    const LearnerReport report = make_learner(options).value()->describe();
    CHECK(report.phase == 1);
    CHECK(report.phase_since == 0);
    CHECK(report.looks.effective == doctest::Approx(20));
    return report.phase_reason;
  };
  CHECK(
      reason("aerr") ==
      "this algorithm has one phase: its data-point draws are uniform, those of the inner product go by the "
      "weights");
  CHECK(reason("aer") == reason("aerr"));
  CHECK(reason("online-ridge") == "this algorithm has one phase: it looks at all attributes of each example");
  CHECK(reason("baseline") == "this algorithm has one phase: it draws pairs of attributes uniformly");
  LearnerOptions all = options_for("pairwise", kDimension);
  CHECK(make_learner(all).value()->describe().phase_reason ==
        "phase 1: uniform: every example shows all attributes");
}

TEST_CASE("since which example is counted from the beginning of the stream, also after a change of it") {
  LearnerOptions options = options_for("pairwise");
  options.drift = Drift::kAuto;
  auto learner = make_learner(options).value();
  Random random(1);
  TurningStream stream(2);
  test::learn(*learner, random, stream, 1, 4000);
  test::learn(*learner, random, stream, -1, 4000);
  REQUIRE(learner->drift().alarms > 0);
  const LearnerReport report = learner->describe();
  CHECK(report.phase_since <= learner->counts().examples);
  CHECK(report.phase == 2);
}

}  // namespace look_phase_test
