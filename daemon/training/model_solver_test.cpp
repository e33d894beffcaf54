#include "daemon/training/model_solver.h"

#include <atomic>
#include <doctest/doctest.h>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "daemon/training/stream_processor.h"
#include "learn/factory.h"
#include "learn/pairwise/pairwise.h"

namespace model_solver_test {

using namespace glimpse;

namespace {

/// A learner's Solving whose solves begin when they are let, so that a test decides what happens meanwhile.
class HeldSolving final : public Solving {
 public:
  explicit HeldSolving(Solving& real) : real_(real) {}

  void begin_capture() override { real_.begin_capture(); }
  bool capture(std::size_t bytes) override { return real_.capture(bytes); }
  void adopt(std::shared_ptr<const Solution> solution) override { real_.adopt(std::move(solution)); }
  void wish(const SolutionWish& wish) override { real_.wish(wish); }
  std::shared_ptr<const Solution> solve(const Cancelled& cancelled) override {
    while (let_ == 0 && !cancelled()) std::this_thread::yield();
    if (cancelled()) return nullptr;
    --let_;
    return real_.solve(cancelled);
  }
  void let(int solves) { let_ += solves; }

 private:
  Solving& real_;
  std::atomic<int> let_{0};
};

/// What the trainer does, step by step.
struct Bench {
  explicit Bench(std::vector<std::string> labels = {})
      : processor(make(std::move(labels)), AttributeNames(4), 1), held(*processor.learner().solving()) {}

  static std::unique_ptr<Learner> make(std::vector<std::string> labels = {}) {
    LearnerOptions options;
    options.algorithm = "pairwise";
    options.dimension = 4;
    options.budget = 3;
    options.labels = std::move(labels);
    return *make_learner(options);
  }
  void learn(int examples) {
    for (int i = 0; i < examples; ++i) {
      processor.learner().plan(random, plan);
      std::vector<double> values;
      for (const Attribute attribute : plan.attributes)
        values.push_back(random.uniform() + static_cast<double>(attribute));
      // Whatever is looked at tells of the label.
      const std::vector<double> labels(processor.learner().label_count(), values.front() + random.uniform());
      REQUIRE(processor.learner().learn(plan, values, labels, 1) == Outcome::kLearned);
    }
  }
  void run_tasks() {
    for (const auto& task : queue.take_tasks()) task(processor);
  }
  /// As between two blocks with nothing to learn, until `done`.
  template <class Condition>
  void quiet_until(const Condition& done) {
    const auto since = std::chrono::steady_clock::now();
    while (!done()) {
      run_tasks();
      solver.quiet_turn(since);
      std::this_thread::yield();
    }
  }
  std::uint64_t in_model() const {
    const auto origin = processor.learner().describe().origin;
    return origin ? origin->examples : 0;
  }

  Random random{1};
  Plan plan;
  BlockQueue queue{1000};
  StreamProcessor processor;
  HeldSolving held;
  ModelSolver solver{processor.learner(), held, queue};
};

}  // namespace

TEST_CASE("learning goes on while a model is solved for, and the one before answers") {
  Bench bench;
  CHECK(bench.solver.has_model(false));  // that of nothing
  bench.learn(100);
  CHECK_FALSE(bench.solver.has_model(false));
  bench.held.let(1);
  bench.quiet_until([&] { return bench.in_model() == 100; });
  CHECK(bench.solver.has_model(true));

  bench.learn(100);
  bool asked = false;
  bench.solver.await_model(true, [&](bool there) { asked = there; });
  bench.solver.turn();  // copies; the solve waits to be let
  const std::vector<Entry> entries{{0, 1.0}};
  const double before = bench.processor.learner().predict(entries);
  for (int i = 0; i < 100; ++i) {
    bench.learn(10);
    if (bench.solver.wants_turn()) bench.solver.turn();
    bench.run_tasks();
    REQUIRE(bench.processor.learner().predict(entries) == before);
  }
  CHECK(bench.processor.learner().counts().examples == 1200);
  CHECK(bench.in_model() == 100);
  CHECK(bench.solver.has_model(false));
  CHECK_FALSE(bench.solver.has_model(true));
  CHECK_FALSE(asked);

  bench.held.let(1);
  while (!asked) bench.run_tasks();
  CHECK(bench.in_model() == 200);
  CHECK(bench.processor.learner().predict(entries) != before);
  CHECK(*bench.solver.solve_seconds() > 0);
}

TEST_CASE("what is wished for is in a model of a copy that begins afterwards, and in no later one") {
  Bench bench;
  bench.learn(100);
  bool first = false;
  bench.solver.await_model(false, [&](bool there) { first = there; });
  bench.solver.turn();
  bool granted = false;
  bench.solver.await_wish({.weight_errors = true}, [&](bool there) {
    granted = there;
    CHECK(bench.processor.learner().weight_errors() != nullptr);
  });
  bench.held.let(1);
  while (!first) bench.run_tasks();
  CHECK(bench.processor.learner().weight_errors() == nullptr);
  CHECK_FALSE(granted);
  bench.held.let(1);
  bench.quiet_until([&] { return granted; });
  bench.learn(10);
  bool later = false;
  bench.solver.await_model(true, [&](bool there) { later = there; });
  bench.held.let(1);
  bench.quiet_until([&] { return later; });
  CHECK(bench.processor.learner().weight_errors() == nullptr);
}

TEST_CASE("a fresh model is one of a copy that begins after the question") {
  Bench bench;
  bench.learn(100);
  bool first = false;
  bench.solver.await_model(false, [&](bool there) { first = there; });
  bench.solver.turn();
  bench.learn(50);
  bool fresh = false;
  bench.solver.await_model(true, [&](bool there) { fresh = there; });
  bench.held.let(1);
  while (!first) bench.run_tasks();
  CHECK(bench.in_model() == 100);
  CHECK_FALSE(fresh);
  bench.held.let(1);
  bench.quiet_until([&] { return fresh; });
  CHECK(bench.in_model() == 150);
  bool at_once = false;
  bench.solver.await_model(true, [&](bool there) { at_once = there; });
  CHECK(at_once);
}

TEST_CASE("the first model has half of the examples that there were when it was asked for") {
  Bench bench;
  bench.learn(10);
  bench.solver.await_model(false, [](bool) {});
  bench.solver.turn();
  bench.learn(1000);
  bool enough = false;
  bench.solver.await_model(false, [&](bool there) { enough = there; });
  bench.held.let(2);
  bench.quiet_until([&] { return enough; });
  CHECK(bench.in_model() == 1010);

  Bench other;
  other.learn(10);
  other.solver.await_model(false, [](bool) {});
  other.solver.turn();
  other.learn(1000);
  other.held.let(2);
  other.solver.need_model();
  CHECK(other.in_model() == 1010);
  other.run_tasks();  // what the worker posted finds everything done
  CHECK(other.in_model() == 1010);
}

TEST_CASE("a quiet stream gets a model of its last example, and then nothing happens") {
  Bench bench;
  bench.held.let(1000);
  for (int round = 0; round < 3; ++round) {
    bench.learn(1000);
    bench.quiet_until([&] { return bench.in_model() == bench.processor.learner().counts().examples; });
    CHECK_FALSE(bench.solver.next_quiet_turn(std::chrono::steady_clock::now()));
  }
}

TEST_CASE("who waits when the end comes is told, and a solve that is under way is given up") {
  int told = 0;
  {
    Bench bench;
    bench.learn(100);
    bench.solver.await_model(true, [&](bool there) { told += there ? 100 : 1; });
    bench.solver.turn();
    bench.solver.stop();
    CHECK(told == 1);
  }  // never let: would not end otherwise
  CHECK(told == 1);
}

TEST_CASE(
    "another learner takes the place of the one before: its solve is given up, and who waits gets one") {
  Bench bench;
  bench.learn(300);
  bool asked = false;
  bench.solver.await_model(false, [&](bool there) { asked = there; });
  bool granted = false;
  bench.solver.await_wish({.weight_errors = true}, [&](bool there) { granted = there; });
  bench.solver.turn();  // a solve waits to be let
  StreamProcessor other(Bench::make(), AttributeNames(4), 1);
  Bench source;
  source.learn(100);
  State state;
  state.begin();
  source.processor.save(state);
  state.finish();
  REQUIRE(other.restore(state).has_value());
  HeldSolving held(*other.learner().solving());
  bench.solver.halt();
  REQUIRE(bench.processor.promote(other, "x").has_value());
  bench.solver.replace(bench.processor.learner(), held);
  CHECK_FALSE(bench.solver.has_model(false));
  CHECK_FALSE(bench.solver.solve_seconds().has_value());
  bench.run_tasks();  // of the solve that was given up
  CHECK_FALSE(asked);
  held.let(5);
  bench.quiet_until([&] { return asked && granted; });
  CHECK(bench.in_model() == 100);
  CHECK(bench.solver.has_model(true));
  CHECK(bench.processor.learner().weight_errors() != nullptr);
}

TEST_CASE("what is wished for of a further label is known of it, also of a learner that takes the place") {
  Bench bench({"a", "b"});
  bench.learn(300);
  bool granted = false;
  const auto note = [&](bool there) { granted = there; };
  const auto errors = [&](std::size_t label) {
    return bench.processor.learner().of_label(label).weight_errors();
  };
  bench.held.let(1);
  bench.solver.await_wish({.weight_errors = true}, note, 1);
  bench.quiet_until([&] { return granted; });
  CHECK(errors(0) == nullptr);
  CHECK(errors(1) != nullptr);

  granted = false;
  bench.solver.await_wish({.weight_errors = true}, note, 1);
  bench.solver.turn();  // a solve waits to be let
  StreamProcessor other(Bench::make({"a", "b"}), AttributeNames(4), 1);
  Bench source({"a", "b"});
  source.learn(100);
  State state;
  state.begin();
  source.processor.save(state);
  state.finish();
  REQUIRE(other.restore(state).has_value());
  HeldSolving held(*other.learner().solving());
  bench.solver.halt();
  REQUIRE(bench.processor.promote(other, "x").has_value());
  bench.solver.replace(bench.processor.learner(), held);
  bench.run_tasks();
  held.let(5);
  bench.quiet_until([&] { return granted; });
  CHECK(bench.in_model() == 100);
  CHECK(errors(0) == nullptr);
  CHECK(errors(1) != nullptr);
}

TEST_CASE("a learner of no examples that takes a place has the model of nothing") {
  Bench bench;
  bench.learn(100);
  bool asked = false;
  bench.solver.await_model(true, [&](bool there) { asked = there; });
  bench.solver.turn();
  StreamProcessor other(Bench::make(), AttributeNames(4), 1);
  HeldSolving held(*other.learner().solving());
  bench.solver.halt();
  REQUIRE(bench.processor.promote(other, "x").has_value());
  bench.solver.replace(bench.processor.learner(), held);
  CHECK(asked);
  CHECK(bench.solver.has_model(true));
}

}  // namespace model_solver_test
