#include "learn/pairwise/best_looks.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "learn/factory.h"
#include "learn/learner_test_support.h"
#include "learn/options/prices.h"

namespace best_looks_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr std::size_t kAttributes = 12;

// The label is a sum of four attributes and noise: of 0 to 3, or, after a change, of 4 to 7.
struct Stream {
  explicit Stream(std::uint64_t seed) : random(seed) {}

  void next() {
    for (double& value : x) value = random.uniform() - 0.5;
    label = 0.4 * (random.uniform() - 0.5);
    for (std::size_t i = 0; i < 4; ++i) label += static_cast<double>(4 - i) * x[first + i];
  }

  Random random;
  std::size_t first = 0;
  std::vector<double> x = std::vector<double>(kAttributes);
  double label = 0;
};

LearnerOptions best_options(std::size_t budget, std::size_t best, const char* algorithm = "pairwise") {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = kAttributes;
  options.budget = budget;
  options.look_at_best = best;
  return options;
}

struct Run {
  explicit Run(const LearnerOptions& options) : learner(make_learner(options).value()) {}

  void step() {
    stream.next();
    learner->plan(random, plan);
    REQUIRE(learner->learn(plan, reveal(plan, stream.x), stream.label, 1) == Outcome::kLearned);
  }
  void steps(int count) {
    for (int t = 0; t < count; ++t) step();
  }
  std::vector<Attribute> best() const {
    const LearnerReport report = learner->describe();
    return report.best ? *report.best : std::vector<Attribute>();
  }

  std::unique_ptr<Learner> learner;
  Random random{3};
  Stream stream{7};
  Plan plan;
};

double loss_of(const Model& model, Stream stream) {
  double sum = 0;
  for (int t = 0; t < 20000; ++t) {
    stream.next();
    double error = model.bias - stream.label;
    for (std::size_t i = 0; i < kAttributes; ++i) error += model.weights[i] * stream.x[i];
    sum += error * error;
  }
  return sum / 20000;
}

const std::vector<Attribute> kFirst = {0, 1, 2, 3};

}  // namespace

TEST_CASE("looks go to the best once they are sure, a small share excepted, and the model is of them alone") {
  for (const char* const algorithm : {"pairwise", "pairwise-screened"}) {
    for (const std::size_t budget : {3U, 4U, 6U}) {
      CAPTURE(algorithm);
      CAPTURE(budget);
      Run run(best_options(budget, 4, algorithm));
      run.steps(20);
      CHECK(run.best().empty());
      run.steps(16384 - 20);
      REQUIRE(run.best() == kFirst);
      const std::uint64_t since = run.learner->describe().best_since;
      CHECK(since > 100);
      CHECK(since <= 16384);
      int all = 0;
      double others = 0;
      for (int t = 0; t < 4000; ++t) {
        run.learner->plan(run.random, run.plan);
        REQUIRE(run.plan.attributes.size() == budget);
        REQUIRE(std::ranges::adjacent_find(run.plan.attributes, std::ranges::greater_equal()) ==
                run.plan.attributes.end());
        const auto of_best = std::ranges::count_if(run.plan.attributes, [](Attribute i) { return i < 4; });
        all += of_best == 4 ? 1 : 0;
        others += static_cast<double>(budget - static_cast<std::size_t>(of_best));
      }
      const double share = others / (4000 * static_cast<double>(budget));
      if (budget >= 4) CHECK(all > (budget > 4 ? 3999 : 3000));
      if (budget <= 4) CHECK(share < 2 * BestLooks::kShare);
      if (budget <= 4) CHECK(share > 0.02);
      double chances = 0;
      for (Attribute i = 0; i < kAttributes; ++i) chances += run.learner->sampling_row(i).probability;
      CHECK(chances == doctest::Approx(1).epsilon(1e-6));
      const auto model = run.learner->shared_model();
      for (std::size_t i = 0; i < kAttributes; ++i) CHECK((model->weights[i] != 0) == (i < 4));
    }
  }
}

TEST_CASE("the progressive loss is that of the model of the best, also where a plan shows some of them") {
  for (const std::size_t budget : {3U, 4U, 6U}) {
    CAPTURE(budget);
    Run run(best_options(budget, 4));
    run.steps(3 * 8192);
    REQUIRE(run.best() == kFirst);
    const auto recent = run.learner->progressive_loss().recent();
    const double loss = loss_of(*run.learner->shared_model(), Stream(99));
    CHECK(std::abs(recent.mean - loss) < 4 * recent.standard_error() + 0.05 * loss);
  }
}

TEST_CASE("a plan of a choice that changed is learned from and does not judge") {
  Run run(best_options(3, 4));
  run.steps(8192);
  REQUIRE(run.best() == kFirst);
  Plan late;
  do run.learner->plan(run.random, late);
  while (late.generation == 0);
  // Another choice: what they say of now is not known.
  late.generation += 1;
  const std::uint64_t judged = run.learner->progressive_loss().total().count;
  const std::uint64_t learned = run.learner->counts().examples;
  run.stream.next();
  REQUIRE(run.learner->learn(late, reveal(late, run.stream.x), run.stream.label, 1) == Outcome::kLearned);
  CHECK(run.learner->progressive_loss().total().count == judged);
  CHECK(run.learner->counts().examples == learned + 1);
}

TEST_CASE("a restart goes on with the same bits before and after the choice") {
  for (const char* const algorithm : {"pairwise", "pairwise-screened"}) {
    for (const int at : {100, 1000, 5000}) {
      CAPTURE(algorithm);
      CAPTURE(at);
      Run run(best_options(3, 4, algorithm));
      run.steps(at);
      Run again(best_options(3, 4, algorithm));
      REQUIRE(again.learner->restore(saved(*run.learner)).has_value());
      again.random = run.random;
      again.stream = run.stream;
      CHECK(again.best() == run.best());
      CHECK(again.learner->describe().phase_reason == run.learner->describe().phase_reason);
      run.steps(8192 - at);
      again.steps(8192 - at);
      CHECK(run.best() == kFirst);
      CHECK(again.best() == kFirst);
      CHECK(again.learner->shared_model()->weights == run.learner->shared_model()->weights);
      CHECK(again.learner->progressive_loss().total().mean == run.learner->progressive_loss().total().mean);
    }
  }
}

TEST_CASE("another number after a restart, or none, looks at all until the choice is made again") {
  Run run(best_options(3, 4));
  run.steps(5000);
  REQUIRE(run.best().size() == 4);
  Run other(best_options(3, 5));
  REQUIRE(other.learner->restore(saved(*run.learner)).has_value());
  CHECK(other.best().empty());
  other.stream = run.stream;
  other.steps(8192 - 5000);
  CHECK(other.best().size() == 5);
  Run none(best_options(3, 0));
  REQUIRE(none.learner->restore(saved(*run.learner)).has_value());
  CHECK(none.best().empty());
  none.steps(8192);
  CHECK(none.best().empty());
}

TEST_CASE("what is told of a damaged choice is an error") {
  Run run(best_options(3, 4));
  run.steps(8192);
  State state;
  state.begin();
  run.learner->save(state);
  const std::uint32_t beyond[] = {0, 1, 2, 99};
  state.put_copy<std::uint32_t>("best.attributes", beyond);
  state.finish();
  Run again(best_options(3, 4));
  CHECK_FALSE(again.learner->restore(state).has_value());
}

TEST_CASE("the choice is revised when the world changes, and forgotten with --drift auto") {
  for (const bool watches : {false, true}) {
    CAPTURE(watches);
    LearnerOptions options = best_options(4, 4);
    if (watches) options.drift = Drift::kAuto;
    if (!watches) options.half_life = 8000;
    Run run(options);
    run.steps(4096);
    REQUIRE(run.best() == kFirst);
    run.stream.first = 4;
    bool was_forgotten = false;
    for (int t = 4096; t < 65536; ++t) {
      run.step();
      was_forgotten = was_forgotten || run.best().empty();
    }
    CHECK(run.best() == std::vector<Attribute>{4, 5, 6, 7});
    CHECK(was_forgotten == watches);
  }
}

TEST_CASE("of what is available the best are looked at first, and others with what is left") {
  Run run(best_options(4, 4));
  run.steps(8192);
  const std::vector<Attribute> available = {1, 3, 5, 6, 9, 11};
  int best = 0;
  for (int t = 0; t < 1000; ++t) {
    REQUIRE(run.learner->plan_among(run.random, available, run.plan).has_value());
    CHECK(run.plan.attributes.size() == 4);
    CHECK(std::ranges::includes(available, run.plan.attributes));
    if (std::ranges::includes(run.plan.attributes, std::vector<Attribute>{1, 3})) ++best;
  }
  CHECK(best > 900);
  const std::vector<Attribute> others = {5, 6};
  REQUIRE(run.learner->plan_among(run.random, others, run.plan).has_value());
  CHECK(run.plan.attributes == others);
  CHECK(run.plan.generation == 0);
}

TEST_CASE("with prices the best are those for the money, and no plan costs more") {
  auto prices = std::make_shared<Prices>(
      parse_prices("0 100\n* 1\n", kAttributes, AttributeNames(kAttributes)).value());
  LearnerOptions options = best_options(6, 4);
  options.prices = prices;
  options.budget_cost = 5 * kMoneyUnit;
  Run run(options);
  for (int t = 0; t < 8192; ++t) {
    run.step();
    REQUIRE(run.plan.attributes.size() <= 5);
    REQUIRE(run.plan.attributes.front() > 0);
  }
  REQUIRE(run.best().size() >= 3);
  for (const Attribute i : {1U, 2U, 3U}) CHECK(std::ranges::count(run.best(), i) == 1);
}

TEST_CASE("an attribute of categories is one of the best with all its indicators") {
  for (const char* const algorithm : {"pairwise", "pairwise-screened"}) {
    CAPTURE(algorithm);
    Run run(best_options(3, 2, algorithm));
    run.learner->make_category(5);
    for (int t = 0; t < 16384; ++t) {
      run.stream.next();
      const auto code = static_cast<double>(run.stream.random.below(4));
      run.stream.x[5] = code;
      run.stream.label = 3 * (code == 1) - 2 * (code == 2) + run.stream.x[0];
      run.learner->plan(run.random, run.plan);
      REQUIRE(run.learner->learn(run.plan, reveal(run.plan, run.stream.x), run.stream.label, 1) ==
              Outcome::kLearned);
    }
    CHECK(run.best() == std::vector<Attribute>{0, 5});
    const auto model = run.learner->shared_model();
    std::set<std::size_t> weighed;
    for (std::size_t i = 0; i < model->weights.size(); ++i)
      if (model->weights[i] != 0) weighed.insert(i < kAttributes ? i : 5);
    CHECK(weighed == std::set<std::size_t>{0, 5});
  }
}

TEST_CASE("two classes have their best attributes") {
  Run run(best_options(3, 4));
  run.learner->make_classifier(2);
  for (int t = 0; t < 16384; ++t) {
    run.stream.next();
    run.learner->plan(run.random, run.plan);
    REQUIRE(run.learner->learn(run.plan, reveal(run.plan, run.stream.x), run.stream.label > 0 ? 1 : 0, 1) ==
            Outcome::kLearned);
  }
  CHECK(run.best() == kFirst);
  const auto classes = run.learner->class_model();
  REQUIRE(classes);
  for (std::uint32_t i = 4; i < kAttributes; ++i)
    for (const double weight : classes->weights_of(i)) CHECK(weight == 0);
}

TEST_CASE("as many as may be active can be the best") {
  LearnerOptions options = best_options(3, 4, "pairwise-screened");
  options.active = 4;
  Run run(options);
  CHECK(run.learner->describe().best_waiting ==
        "all attributes are looked at: the best 4 are chosen with the next model that examples judge");
  run.steps(100);
  CHECK(run.learner->describe().best_waiting.starts_with("all attributes are looked at: "));
  run.steps(16384 - 100);
  CHECK(run.best() == kFirst);
  CHECK(run.learner->describe().best_waiting.empty());
}

TEST_CASE("where fewer than N are active, and no others came for long, these are the best") {
  LearnerOptions options = best_options(3, 8, "pairwise-screened");
  options.active = 11;
  Run run(options);
  run.steps(60000);
  const std::vector<Attribute> best = run.best();
  REQUIRE(best.size() >= 4);
  CHECK(std::vector<Attribute>(best.begin(), best.begin() + 4) == kFirst);
  CHECK(best.size() < 8);
}

TEST_CASE("what a choice waits for is told, also after a restart") {
  Run run(best_options(2, 4));
  run.steps(80);
  const std::string waiting = run.learner->describe().best_waiting;
  CHECK(waiting.find("and must be by") != std::string::npos);
  Run again(best_options(2, 4));
  REQUIRE(again.learner->restore(saved(*run.learner)).has_value());
  CHECK(again.learner->describe().best_waiting == waiting);
  Run classes(best_options(3, 4));
  classes.learner->make_classifier(3);
  for (int t = 0; t < 64; ++t) {
    classes.stream.next();
    classes.learner->plan(classes.random, classes.plan);
    classes.learner->learn(classes.plan, reveal(classes.plan, classes.stream.x), t % 3, 1);
  }
  CHECK(classes.learner->describe().best_waiting ==
        "all attributes are looked at for good: --look-at-best does not choose for more than two classes");
}

TEST_CASE("--look-at-best is refused where it cannot be") {
  const auto message = [](const LearnerOptions& options) {
    const Status status = validate(options);
    REQUIRE_FALSE(status.has_value());
    return status.error().message;
  };
  CHECK(message(best_options(3, 12)) ==
        "--look-at-best 12: must be below --dimension 12: there is nothing to choose");
  CHECK(message(best_options(3, 300)) == "--look-at-best 300: must be at most 256");
  LearnerOptions screened = best_options(3, 8, "pairwise-screened");
  screened.active = 5;
  CHECK(
      message(screened) ==
      "--look-at-best 8: must be at most 5, which attributes may be active (--active, or what --pair-memory "
      "has room for): the best are chosen among these");
  LearnerOptions products = best_options(6, 4);
  products.products = 2;
  CHECK(message(products).starts_with("--look-at-best 4: contradicts --products"));
  CHECK(message(best_options(4, 4, "aerr")).starts_with("--look-at-best 4: is for pairwise and"));
}

}  // namespace best_looks_test
