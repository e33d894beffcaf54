#include "learn/small_models/small_models.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "learn/core/solving.h"
#include "learn/factory.h"
#include "learn/learner_test_support.h"

namespace small_models_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr std::size_t kAttributes = 10;

// y = 2x_3 + x_7 + ½x_1 + 3(x_0 − x_8), where x_8 follows x_0, and noise: of the two one tells nothing alone,
// and the other little. `scale` multiplies attributes and label.
struct Stream {
  explicit Stream(std::uint64_t seed, double by = 1) : random(seed), scale(by) {}

  void next() {
    for (double& value : x) value = scale * (random.uniform() - 0.5);
    x[8] = x[0] + 0.5 * x[8];
    label = 2 * x[3] + x[7] + 0.5 * x[1] + 3 * (x[0] - x[8]) + scale * (random.uniform() - 0.5);
  }

  Random random;
  double scale;
  std::vector<double> x = std::vector<double>(kAttributes);
  double label = 0;
};

LearnerOptions of_algorithm(const char* algorithm, std::size_t budget) {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = kAttributes;
  options.budget = budget;
  return options;
}

std::unique_ptr<Learner> learner_of(const LearnerOptions& options) { return make_learner(options).value(); }

void teach(Learner& learner, Stream& stream, int examples) {
  Random random(3);
  Plan plan;
  for (int t = 0; t < examples; ++t) {
    stream.next();
    learner.plan(random, plan);
    REQUIRE(learner.learn(plan, reveal(plan, stream.x), stream.label, 1) == Outcome::kLearned);
  }
}

std::shared_ptr<const SmallModel> ask(Learner& learner, const SmallModelQuestion& question) {
  SolutionWish wish;
  wish.small_models.push_back(question);
  learner.solving()->wish(wish);
  learner.shared_model();
  return learner.small_model(question);
}

double loss_of(const Model& model, Stream stream) {
  double sum = 0;
  for (int t = 0; t < 4000; ++t) {
    stream.next();
    double error = model.bias - stream.label;
    for (std::size_t i = 0; i < kAttributes; ++i) error += model.weights[i] * stream.x[i];
    sum += error * error;
  }
  return sum / 4000;
}

std::vector<Attribute> sorted(std::vector<Attribute> set) {
  std::ranges::sort(set);
  return set;
}

}  // namespace

TEST_CASE("the attributes that predict best together are chosen, and their loss is told as it is") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    for (const double scale : {1.0, 1e6}) {
      CAPTURE(algorithm);
      CAPTURE(scale);
      const auto learner = learner_of(of_algorithm(algorithm, 6));
      Stream stream(1, scale);
      teach(*learner, stream, 60000);
      const auto small = ask(*learner, {6, std::nullopt});
      REQUIRE(small);
      REQUIRE(small->steps.size() == 6);
      const std::vector<std::vector<Attribute>> best{{3}, {3, 7}, {0, 3, 8}, {0, 3, 7, 8}, {0, 1, 3, 7, 8}};
      for (std::size_t k = 1; k <= best.size(); ++k) {
        CAPTURE(k);
        const auto of_size = ask(*learner, {k, std::nullopt});
        REQUIRE(of_size);
        CHECK(sorted(of_size->chosen) == best[k - 1]);
        const double loss = loss_of(of_size->model, Stream(9, scale));
        const double error = of_size->steps.back().loss_error;
        CHECK(std::abs(of_size->steps.back().loss - loss) < 3 * error + 0.02 * loss);
        CHECK(of_size->steps.back().loss == small->steps[k - 1].loss);
        CHECK(error > 0);
        CHECK(error < 0.05 * loss + 0.01 * small->loss_of_mean);
        for (Attribute i = 0; i < kAttributes; ++i)
          CHECK((of_size->model.weights[i] != 0) == (std::ranges::count(of_size->chosen, i) > 0));
      }
      // The twins come together, for one of the two that were there.
      CHECK(small->steps[2].added.size() == small->steps[2].removed.size() + 1);
    }
  }
}

TEST_CASE("with a limit of cost the best set for the money is taken, groups paying once") {
  auto prices = std::make_shared<Prices>(kAttributes);
  const std::uint32_t blood = prices->add_group(4 * kMoneyUnit);
  prices->set(3, 3 * kMoneyUnit);
  prices->set(0, kMoneyUnit, blood);
  prices->set(8, kMoneyUnit, blood);
  prices->set(7, 5 * kMoneyUnit);
  LearnerOptions options = of_algorithm("pairwise", 5);
  options.prices = prices;
  const auto learner = learner_of(options);
  Stream stream(1);
  teach(*learner, stream, 30000);
  const auto chosen = [&](std::size_t attributes, double units) {
    const auto small = ask(*learner, {attributes, static_cast<Money>(units * kMoneyUnit)});
    REQUIRE(small);
    Bill bill(*prices);
    if (!small->steps.empty()) CHECK(small->steps.back().cost == bill.of(small->chosen));
    for (const SmallModel::Step& step : small->steps) CHECK(step.cost <= units * kMoneyUnit);
    return sorted(small->chosen);
  };
  CHECK(chosen(1, 3) == std::vector<Attribute>{3});
  CHECK(chosen(3, 9) == std::vector<Attribute>{0, 3, 8});
  CHECK(chosen(4, 14) == std::vector<Attribute>{0, 3, 7, 8});
  CHECK(chosen(0, 0.5).empty());
  // A number of attributes alone does not look at prices.
  CHECK(sorted(ask(*learner, {2, std::nullopt})->chosen) == std::vector<Attribute>{3, 7});
  CHECK(ask(*learner, {2, std::nullopt})->steps.back().cost == 8 * kMoneyUnit);
}

TEST_CASE("with a limit of cost the answer has the least told loss of all affordable rows of the curve") {
  auto prices = std::make_shared<Prices>(kAttributes);
  for (Attribute i = 0; i < kAttributes; ++i) prices->set(i, kMoneyUnit);
  LearnerOptions options = of_algorithm("pairwise", 5);
  options.prices = prices;
  const auto learner = learner_of(options);
  Stream stream(1);
  teach(*learner, stream, 3000);
  const auto all = ask(*learner, {kAttributes, std::nullopt});
  REQUIRE(all);
  REQUIRE(all->steps.size() == kAttributes);
  const auto least = std::ranges::min_element(all->steps, {}, &SmallModel::Step::loss);
  REQUIRE(least != all->steps.end() - 1);  // attributes that tell nothing make it worse
  const auto small = ask(*learner, {0, 100 * kMoneyUnit});
  REQUIRE(small);
  REQUIRE(!small->steps.empty());
  CHECK(small->steps.back().loss <= least->loss);
  CHECK(small->steps.back().loss < 0.999 * all->steps.back().loss);
  CHECK(small->steps.back().cost < 10 * kMoneyUnit);
  // The model is that of the set, and not of the last one tried.
  for (Attribute i = 0; i < kAttributes; ++i)
    CHECK((small->model.weights[i] != 0) == (std::ranges::count(small->chosen, i) > 0));
  const auto of_size = ask(*learner, {small->chosen.size(), std::nullopt});
  REQUIRE(of_size);
  CHECK(sorted(of_size->chosen) == sorted(small->chosen));
  CHECK(of_size->model.weights == small->model.weights);
}

TEST_CASE("a loss whose square is no double is not known, and no loss of 0") {
  const auto learner = learner_of(of_algorithm("pairwise", 5));
  Stream stream(1, 1e-200);
  teach(*learner, stream, 2000);
  const auto small = ask(*learner, {2, std::nullopt});
  REQUIRE(small);
  REQUIRE(small->steps.size() == 2);
  CHECK(std::isnan(small->loss_of_mean));
  CHECK(std::isnan(small->steps.back().loss));
  CHECK(sorted(small->chosen) == std::vector<Attribute>{3, 7});
}

TEST_CASE("an attribute of categories is chosen with all its indicators") {
  const auto learner = learner_of(of_algorithm("pairwise", 5));
  learner->make_category(2);
  learner->make_category(5);
  Random random(4);
  Stream stream(1);
  Plan plan;
  const auto next = [&] {
    stream.next();
    stream.x[2] = static_cast<double>(random.below(6));
    stream.x[5] = static_cast<double>(random.below(3));
    stream.label += std::vector<double>{-3, 2, 0, 1, -1, 1}[static_cast<std::size_t>(stream.x[2])];
  };
  for (int t = 0; t < 20000; ++t) {
    next();
    learner->plan(random, plan);
    REQUIRE(learner->learn(plan, reveal(plan, stream.x), stream.label, 1) == Outcome::kLearned);
  }
  const auto small = ask(*learner, {2, std::nullopt});
  REQUIRE(small);
  CHECK(sorted(small->chosen) == std::vector<Attribute>{2, 3});
  CHECK(small->steps.back().features == 7);
  double sum = 0;
  for (int t = 0; t < 4000; ++t) {
    next();
    const std::uint32_t slot = learner->features().indicator(2, stream.x[2]);
    const double prediction =
        small->model.bias + small->model.weights[3] * stream.x[3] + small->model.weights[slot];
    sum += (prediction - stream.label) * (prediction - stream.label);
  }
  CHECK(std::abs(small->steps.back().loss / (sum / 4000) - 1) < 0.05);
  CHECK(small->model.weights[2] == 0);
}

TEST_CASE(
    "the same sums and question give the same model, also after a restart, and beside other questions") {
  const LearnerOptions options = of_algorithm("pairwise", 5);
  const auto learner = learner_of(options);
  Stream stream(1);
  teach(*learner, stream, 2000);
  State state;
  learner->save(state);
  const auto restored = learner_of(options);
  REQUIRE(restored->restore(state).has_value());
  SolutionWish wish;
  wish.weight_errors = true;
  wish.small_models = {{3, std::nullopt}, {5, std::nullopt}};
  learner->solving()->wish(wish);
  learner->shared_model();
  const auto first = learner->small_model({5, std::nullopt});
  const auto second = ask(*restored, {5, std::nullopt});
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->model.weights == second->model.weights);
  CHECK(first->chosen == second->chosen);
  CHECK(first->steps.back().loss == second->steps.back().loss);
  CHECK(learner->weight_errors());
  CHECK(learner->small_model({3, std::nullopt}));
  CHECK(!learner->small_model({4, std::nullopt}));
}

TEST_CASE("of noise alone a small model is told to be worth nothing") {
  const auto learner = learner_of(of_algorithm("pairwise", 3));
  Random random(5);
  Plan plan;
  std::vector<double> x(kAttributes);
  for (int t = 0; t < 1000; ++t) {
    for (double& value : x) value = random.uniform();
    learner->plan(random, plan);
    learner->learn(plan, reveal(plan, x), random.uniform(), 1);
  }
  const auto small = ask(*learner, {5, std::nullopt});
  REQUIRE(small);
  for (const SmallModel::Step& step : small->steps) {
    CHECK(step.loss > 0.97 * small->loss_of_mean);
    CHECK(step.loss < 1.1 * small->loss_of_mean);
  }
}

TEST_CASE("learners without pairs, with products or of more than two classes say why there are none") {
  LearnerOptions options = of_algorithm("aerr", 5);
  CHECK(learner_of(options)->check_small_models().error().message.find("--algorithm aerr keeps no moments") ==
        0);
  options = of_algorithm("pairwise", 5);
  CHECK(learner_of(options)->check_small_models().has_value());
  options.products = 2;
  CHECK(learner_of(options)->check_small_models().error().message.find("--products") != std::string::npos);
  options.products = 0;
  const auto learner = learner_of(options);
  learner->make_classifier(2);
  CHECK(learner->check_small_models().has_value());
  learner->make_classifier(3);
  CHECK(learner->check_small_models().error().message.find("there are 3") != std::string::npos);
}

}  // namespace small_models_test
