#include "lab/polynomials/polynomial_learner.h"

#include <doctest/doctest.h>
#include <vector>

#include "base/random.h"
#include "learn/apple/apple.h"

namespace glimpse::polynomial_learner_test {
namespace {

constexpr std::size_t kDimension = 5;
constexpr std::size_t kExamples = 1200;

struct Example {
  std::vector<Entry> entries;
  double label;
};

// y = 2 x₀x₁ − x₂ and a little of x₃; values from −1 to 1, a third of them 0.
std::vector<Example> examples() {
  Random random(7);
  std::vector<Example> result;
  for (std::size_t n = 0; n < kExamples; ++n) {
    std::vector<double> x(kDimension);
    Example example;
    for (Attribute i = 0; i < kDimension; ++i) {
      x[i] = random.below(3) == 0 ? 0 : 2 * random.uniform() - 1;
      if (x[i] != 0) example.entries.push_back({i, x[i]});
    }
    example.label = 2 * x[0] * x[1] - x[2] + 0.1 * x[3];
    result.push_back(example);
  }
  return result;
}

PolynomialOptions options_of(const PolynomialMethod& method) {
  PolynomialOptions options;
  options.method = method;
  options.idempotent.assign(kDimension, false);
  options.examples = kExamples;
  return options;
}

double last_loss(PolynomialLearner& learner) {
  double loss = 0;
  std::size_t n = 0;
  for (const Example& example : examples()) {
    const double residual = learner.learn(example.entries, example.label) - example.label;
    if (++n > kExamples * 5 / 6) loss += residual * residual;
  }
  return loss / (kExamples / 6.0);
}

TEST_CASE("apple of the laboratory is the library's, bit for bit") {
  LearnerOptions options;
  options.algorithm = "apple";
  options.dimension = kDimension;
  options.horizon = kExamples;
  Apple library(options);
  PolynomialLearner own(options_of({Expander::kApple, 1}));
  Random random(1);
  std::size_t differing = 0;
  for (const Example& example : examples()) {
    Plan plan;
    library.begin_plan(random, plan);
    std::vector<double> values(kDimension);
    for (const Entry& entry : example.entries) values[entry.attribute] = entry.value;
    if (library.predict(example.entries) != own.predict(example.entries)) ++differing;
    library.learn(plan, values, example.label, 1);
    own.learn(example.entries, example.label);
  }
  CHECK(differing == 0);
  CHECK(own.parents() > 5);
  CHECK(own.slots() > kDimension);
}

TEST_CASE("a label with a product is learned by those that have it, and not by lin") {
  PolynomialLearner lin(options_of({Expander::kLin}));
  CHECK(last_loss(lin) > 0.15);  // 4 (2/9)² = .198 is of the product
  CHECK(lin.mean_features() < kDimension);
  for (const PolynomialMethod& method :
       {PolynomialMethod{Expander::kQuad}, PolynomialMethod{Expander::kCubic},
        PolynomialMethod{Expander::kApple, 1}, PolynomialMethod{Expander::kLin, 1, true}}) {
    CAPTURE(name_of(method));
    PolynomialLearner learner(options_of(method));
    CHECK(last_loss(learner) < 0.05);
    CHECK(learner.mean_features() > lin.mean_features());
  }
}

TEST_CASE("more parents make more features") {
  double before = 0;
  for (const double exponent : kExponents) {
    PolynomialLearner learner(options_of({Expander::kApple, exponent}));
    last_loss(learner);
    CHECK(learner.mean_features() >= before);
    before = learner.mean_features();
  }
  PolynomialLearner ssm(options_of({Expander::kSsm, 1}));
  last_loss(ssm);
  CHECK(ssm.parents() >= 15);  // ⌊3.3⌋ after each of five epochs
}

TEST_CASE("frozen parents are those told, and no epoch adds to them") {
  PolynomialLearner learner(options_of({Expander::kApple, 1}));
  learner.freeze_parents({{0}, {0, 1}});
  last_loss(learner);
  REQUIRE(learner.parents() == 2);
  const Attribute square[] = {0, 1};
  const Attribute cube[] = {0, 1, 4};
  CHECK(learner.tree()->is_parent(learner.slot_of(square)));
  CHECK(learner.slot_of(cube) != Monomials::kNone);
  const Attribute other[] = {2, 3};
  CHECK(learner.slot_of(other) == Monomials::kNone);
}

}  // namespace
}  // namespace glimpse::polynomial_learner_test
