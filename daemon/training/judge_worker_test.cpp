#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

#include "daemon/training/model_solver.h"
#include "learn/factory.h"

namespace judge_worker_test {

using namespace glimpse;

namespace {

constexpr std::size_t kDimension = 200;  // judges come a quarter of the examples after they are due

std::unique_ptr<Learner> make(std::vector<std::string> labels = {}) {
  LearnerOptions options;
  options.algorithm = "pairwise";
  options.dimension = kDimension;
  options.budget = 5;
  options.labels = std::move(labels);
  return *make_learner(options);
}

/// What the trainer does: `worker` may be absent.
void learn(Learner& learner, Random& random, int examples, JudgeWorker* worker) {
  Plan plan;
  for (int i = 0; i < examples; ++i) {
    if (worker != nullptr && worker->wants_turn(*learner.solving())) worker->turn(*learner.solving());
    learner.plan(random, plan);
    std::vector<double> values;
    for (const Attribute attribute : plan.attributes)
      values.push_back(random.uniform() + static_cast<double>(attribute % 3));
    const std::vector<double> labels(learner.label_count(), values.front() + random.uniform());
    REQUIRE(learner.learn(plan, values, labels, 1) == Outcome::kLearned);
  }
}

bool same_state(const Learner& one, const Learner& other) {
  State a;
  State b;
  a.begin();
  b.begin();
  one.save(a);
  other.save(b);
  a.finish();
  b.finish();
  if (a.tensors().size() != b.tensors().size()) return false;
  for (std::size_t k = 0; k < a.tensors().size(); ++k) {
    const Tensor& x = a.tensors()[k];
    const Tensor& y = b.tensors()[k];
    if (x.name != y.name || x.bytes != y.bytes) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("with a worker for its judges a learner becomes what it is without, to the bit") {
  for (const auto& labels : {std::vector<std::string>{}, std::vector<std::string>{"price", "weight"}}) {
    const auto alone = make(labels);
    const auto helped = make(labels);
    JudgeWorker worker;
    Random random(1);
    Random other(1);
    for (const int examples :
         {257, 43, 1000, 748, 1}) {  // a judge is on its way after the first and the fourth
      learn(*alone, random, examples, nullptr);
      learn(*helped, other, examples, &worker);
      CAPTURE(alone->counts().examples);
      CHECK(same_state(*alone, *helped));
      CHECK(helped->describe().guard.judged == alone->describe().guard.judged);
    }
  }
}

TEST_CASE("what is to be solved for is handed over once, and the learner does not do it at once") {
  const auto learner = make();
  JudgeWorker worker;
  Random random(1);
  learn(*learner, random, 250, &worker);
  learn(*learner, random, 10, nullptr);  // 256 is among them
  Solving& solving = *learner->solving();
  REQUIRE(solving.has_ahead());
  worker.turn(solving);
  CHECK_FALSE(solving.has_ahead());
}

TEST_CASE("a worker that ends amid a solve leaves it to the learner") {
  const auto alone = make();
  const auto left = make();
  Random random(1);
  Random other(1);
  {
    JudgeWorker worker;
    learn(*left, other, 1030, &worker);
  }
  learn(*left, other, 600, nullptr);
  learn(*alone, random, 1630, nullptr);
  CHECK(same_state(*alone, *left));
}

}  // namespace judge_worker_test
