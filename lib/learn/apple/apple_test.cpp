#include "learn/apple/apple.h"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <set>
#include <vector>

#include "learn/factory.h"
#include "learn/learner_test_support.h"

namespace apple_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

using Tuple = std::vector<Attribute>;

LearnerOptions apple_options(std::size_t dimension) {
  LearnerOptions options;
  options.algorithm = "apple";
  options.dimension = dimension;
  return options;
}

// Sparse examples of signs and counts; y = x₃·x₇ + noise.
struct Planted {
  explicit Planted(std::size_t d, std::uint64_t seed = 1) : dimension(d), random(seed) {}
  std::size_t dimension;
  Random random;
  std::vector<Entry> entries;
  double label = 0;
  void next() {
    entries.clear();
    double x3 = 0;
    double x7 = 0;
    for (Attribute i = 0; i < dimension; ++i) {
      if (random.uniform() < 0.5) continue;
      const double value = 0.5 + random.uniform();
      entries.push_back({i, value});
      if (i == 3) x3 = value;
      if (i == 7) x7 = value;
    }
    label = x3 * x7 + 0.1 * (random.uniform() - 0.5);
  }
};

void learn(Learner& learner, const std::vector<Entry>& entries, double label, double importance = 1) {
  Plan plan;
  std::vector<double> values;
  for (const Entry& entry : entries) {
    plan.attributes.push_back(entry.attribute);
    values.push_back(entry.value);
  }
  learner.learn(plan, values, label, importance);
}

std::set<Tuple> products_of(const Learner& learner) {
  std::set<Tuple> all;
  const Monomials& products = *learner.products();
  for (auto slot = static_cast<std::uint32_t>(products.attributes()); slot < products.slots(); ++slot) {
    const auto factors = products.factors(slot);
    all.insert(Tuple(factors.begin(), factors.end()));
  }
  return all;
}

bool same(const State& a, const State& b) {
  if (a.tensors().size() != b.tensors().size()) return false;
  for (const Tensor& tensor : a.tensors()) {
    const Tensor* other = b.find(tensor.name);
    if (other == nullptr || other->bytes != tensor.bytes) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a planted product of two of fifty attributes is found, and learned") {
  auto learner = make_learner(apple_options(50)).value();
  Planted planted(50);
  double error = 0;
  double square = 0;
  for (int t = 0; t < 20000; ++t) {
    planted.next();
    if (t >= 18000) {
      error += std::pow(learner->predict(planted.entries) - planted.label, 2);
      square += std::pow(planted.label - 0.25, 2);
    }
    learn(*learner, planted.entries, planted.label);
  }
  CHECK(error < 0.1 * square);  // the best linear model has about .4
  REQUIRE(products_of(*learner).contains(Tuple{3, 7}));
  Model model;
  learner->model(model);
  // Its part of the model is shared with products that hold it, as x₃x₇x₉.
  std::uint32_t largest = 50;
  for (std::uint32_t slot = 50; slot < model.weights.size(); ++slot)
    if (std::abs(model.weights[slot]) > std::abs(model.weights[largest])) largest = slot;
  const auto factors = learner->products()->factors(largest);
  CHECK(Tuple(factors.begin(), factors.end()) == Tuple{3, 7});
}

TEST_CASE("the same to the bit after a restart amid epochs, with every option, and predictions alike") {
  for (int kind = 0; kind < 5; ++kind) {
    LearnerOptions options = apple_options(12);
    if (kind == 1) options.horizon = 900;
    if (kind == 2) options.half_life = 100;
    if (kind == 3) options.drift = Drift::kAuto;
    if (kind == 4) {
      options.fallback_parent = true;
      options.max_features = 30;
      options.bias = false;
    }
    for (const int middle : {100, 300, 700}) {
      CAPTURE(kind);
      auto whole = make_learner(options).value();
      Planted planted(12);
      for (int t = 0; t < middle; ++t) {
        planted.next();
        learn(*whole, planted.entries, planted.label);
      }
      auto resumed = make_learner(options).value();
      REQUIRE(resumed->restore(saved(*whole)).has_value());
      CHECK(same(saved(*resumed), saved(*whole)));
      for (int t = 0; t < 1200; ++t) {
        planted.next();
        learn(*whole, planted.entries, planted.label);
        learn(*resumed, planted.entries, planted.label);
      }
      CHECK(same(saved(*resumed), saved(*whole)));
      planted.next();
      CHECK(resumed->predict(planted.entries) == whole->predict(planted.entries));
    }
  }
}

TEST_CASE("a pinned model predicts as the learner did then, to the bit, whatever was found since") {
  for (const double unit : {1.0, 1e-100}) {
    auto learner = make_learner(apple_options(8)).value();
    Planted planted(8);
    const auto scaled = [&] {
      std::vector<Entry> entries = planted.entries;
      for (Entry& entry : entries) entry.value *= unit;
      return entries;
    };
    for (int t = 0; t < 600; ++t) {
      planted.next();
      learn(*learner, scaled(), planted.label * unit);
    }
    planted.next();
    const std::vector<Entry> question = scaled();
    const double then = learner->predict(question);
    CHECK(std::abs(then / unit - planted.label) < 0.5);
    const auto pinned = learner->model_of_predictions();
    CHECK(learner->predict_with(*pinned, question) == then);
    double sum = pinned->bias;
    std::vector<double> x(8);
    for (const Entry& entry : question) x[entry.attribute] = entry.value;
    for (std::uint32_t slot = 0; slot < pinned->weights.size(); ++slot) {
      double product = 1;
      for (const Attribute i : learner->products()->factors(slot)) product *= x[i];
      if (product != 0) sum += pinned->weights[slot] * product;
    }
    if (unit == 1) CHECK(sum == doctest::Approx(then));
    for (int t = 0; t < 1000; ++t) {
      planted.next();
      learn(*learner, scaled(), planted.label * unit);
    }
    CHECK(learner->products()->slots() > pinned->weights.size());
    CHECK(learner->predict_with(*pinned, question) == doctest::Approx(then));
  }
}

TEST_CASE("zeros that are given tell no more than zeros that are not, and both count as read") {
  auto sparse = make_learner(apple_options(10)).value();
  auto dense = make_learner(apple_options(10)).value();
  Planted planted(10);
  Random random(1);
  Plan plan;
  std::uint64_t entries = 0;
  for (int t = 0; t < 700; ++t) {
    planted.next();
    entries += planted.entries.size();
    learn(*sparse, planted.entries, planted.label);
    std::vector<double> x(10);
    for (const Entry& entry : planted.entries) x[entry.attribute] = entry.value;
    dense->plan(random, plan);
    dense->learn(plan, reveal(plan, x), planted.label, 1);
  }
  Model a;
  Model b;
  sparse->model(a);
  dense->model(b);
  CHECK(a.weights == b.weights);
  CHECK(sparse->counts().attributes_revealed == entries);
  CHECK(dense->counts().attributes_revealed == 7000);
  CHECK(sparse->sampling_row(3).moment.mean == doctest::Approx(0.5).epsilon(0.15));  // zeros included
}

TEST_CASE("a square of an attribute of 0 and one other number is no feature, and of others it is") {
  LearnerOptions options = apple_options(3);
  options.horizon = 600;
  auto learner = make_learner(options).value();
  Random random(1);
  for (int t = 0; t < 400; ++t) {
    const double x0 = random.uniform() < 0.5 ? 1 : 0;
    const double x1 = random.uniform() < 0.5 ? 2.5 : 0;
    const double x2 = random.uniform();
    learn(*learner, {{0, x0}, {1, x1}, {2, x2}}, x0 + x1 * x2);
  }
  const std::set<Tuple> products = products_of(*learner);
  CHECK(products.contains(Tuple{1, 2}));
  CHECK(products.contains(Tuple{2, 2}));
  CHECK_FALSE(products.contains(Tuple{0, 0}));
  CHECK_FALSE(products.contains(Tuple{1, 1}));
  CHECK_FALSE(products.contains(Tuple{0, 0, 2}));
}

TEST_CASE("products are bounded by max-features, and what found no room is told") {
  LearnerOptions options = apple_options(20);
  options.max_features = 25;
  auto learner = make_learner(options).value();
  Planted planted(20);
  for (int t = 0; t < 2000; ++t) {
    planted.next();
    learn(*learner, planted.entries, planted.label);
  }
  const auto report = learner->describe().expansion.value();
  CHECK(report.products == 25);
  CHECK(report.lacking > 1000);
  CHECK(report.expansions == 3);
}

TEST_CASE("the number of parents is the mean number of attributes that are not 0, to the power asked for") {
  for (const double exponent : {0.0, 0.5, 1.0}) {
    LearnerOptions options = apple_options(16);
    options.expansion_exponent = exponent;
    auto learner = make_learner(options).value();
    Random random(1);
    for (int t = 0; t < 256; ++t) {
      std::vector<Entry> entries;
      const auto first = static_cast<Attribute>(random.below(8));
      for (Attribute i = first; i < first + 9; ++i) entries.push_back({i, random.uniform()});
      learn(*learner, entries, random.uniform());
    }
    CHECK(learner->describe().expansion->parents == (exponent == 0 ? 1 : exponent == 1 ? 9 : 3));
  }
}

TEST_CASE("with a fallback parent each expansion takes one of the lowest degree that is left") {
  LearnerOptions options = apple_options(5);
  options.expansion_exponent = 0;
  options.fallback_parent = true;
  auto learner = make_learner(options).value();
  Random random(1);
  for (int t = 0; t < 4200; ++t) {
    std::vector<Entry> entries;
    for (Attribute i = 0; i < 5; ++i) entries.push_back({i, random.uniform()});
    learn(*learner, entries, random.uniform());
  }
  const State state = saved(*learner);
  const auto parents = *state.get<std::uint32_t>("expansion.parents");
  CHECK(std::vector<std::uint32_t>(parents.begin(), parents.end()) ==
        std::vector<std::uint32_t>{0, 1, 2, 3, 4});
}

TEST_CASE("a missing value is not learned from, and counts as the mean in a prediction") {
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  auto learner = make_learner(apple_options(4)).value();
  Planted planted(4);
  for (int t = 0; t < 300; ++t) {
    planted.next();
    learn(*learner, planted.entries,
          planted.label + (planted.entries.empty() ? 0 : planted.entries[0].value));
  }
  const State before = saved(*learner);
  learn(*learner, {{1, 2.0}, {2, kMissing}}, 1);
  CHECK(learner->counts().missing == 1);
  CHECK(saved(*learner).find("expansion.weights")->bytes == before.find("expansion.weights")->bytes);
  const double mean = learner->sampling_row(2).moment.mean;
  CHECK(learner->predict(std::vector<Entry>{{1, 1.0}, {2, kMissing}}) ==
        learner->predict(std::vector<Entry>{{1, 1.0}, {2, mean}}));
}

TEST_CASE("the progressive loss is the squared error of predict() before each example") {
  auto learner = make_learner(apple_options(10)).value();
  Planted planted(10);
  ProgressiveLoss truth;
  for (int t = 0; t < 1500; ++t) {
    planted.next();
    const double error = learner->predict(planted.entries) - planted.label;
    truth.add(error * error);
    learn(*learner, planted.entries, planted.label);
  }
  CHECK(learner->progressive_loss().total().count == 1500);
  CHECK(learner->progressive_loss().total().mean == doctest::Approx(truth.total().mean));
}

TEST_CASE("a stream that turns is noticed, and what came before is forgotten") {
  LearnerOptions options = apple_options(8);
  options.drift = Drift::kAuto;
  auto learner = make_learner(options).value();
  Planted planted(8);
  for (int t = 0; t < 6000; ++t) {
    planted.next();
    learn(*learner, planted.entries, t < 4000 ? planted.label : 3 - 2 * planted.label);
  }
  CHECK(learner->drift().alarms == 1);
  CHECK(learner->drift().examples < 4200);
  CHECK(learner->progressive_loss().recent().mean < 0.2);
}

TEST_CASE(
    "an attribute that began with a wild value begins again, its products with it, and the others stay") {
  auto learner = make_learner(apple_options(4)).value();
  Random random(1);
  for (int t = 0; t < 400; ++t) {
    const double x = random.uniform() + 0.5;
    learn(*learner, {{0, x}, {1, random.uniform()}}, x);
  }
  const double weight = saved(*learner).get<double>("expansion.weights")->front();
  for (int t = 0; t < 40; ++t) {
    const double x = random.uniform() + 0.5;
    learn(*learner, {{0, x}, {2, t == 0 ? 1e12 : random.uniform()}}, x);
  }
  CHECK(learner->sampling_row(2).moment.max_abs < 2);
  CHECK(learner->largest_value(0) > 1);
  CHECK(saved(*learner).get<double>("expansion.weights")->front() > 0.5 * weight);
}

TEST_CASE("options that apple has not are refused in one sentence") {
  const auto refusal = [](auto change) {
    LearnerOptions options = apple_options(4);
    change(options);
    const Status status = validate(options);
    return status ? std::string() : status.error().message;
  };
  CHECK(refusal([](LearnerOptions&) {}).empty());
  CHECK(refusal([](LearnerOptions& o) { o.radius = 2; }) ==
        "--radius 2: apple keeps its weights in no ball: leave it out");
  CHECK(
      refusal([](LearnerOptions& o) { o.step = StepKind::kAdaGrad; }) ==
      "--step adagrad: apple has adaptive steps of its own; must be auto, or a number as its learning rate");
  CHECK(refusal([](LearnerOptions& o) { o.expansion_exponent = 2.5; }) ==
        "--expansion-exponent 2.5: must be from 0 to 2");
  CHECK(refusal([](LearnerOptions& o) { o.max_features = 0; }) ==
        "--max-features 0: must be from 1 to 2147483648");
}

}  // namespace apple_test
