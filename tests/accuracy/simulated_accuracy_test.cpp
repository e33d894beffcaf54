#include <doctest/doctest.h>
#include <fmt/core.h>
#include <utility>
#include <vector>

#include "gen/simulated_set.h"
#include "learn/core/learner.h"
#include "learn/factory.h"

namespace simulated_accuracy_test {

using namespace glimpse;

namespace {

// The loss of the averaged model on 2,000 further examples over the zero predictor's, mean of three seeds.
double simulated_loss(LearnerOptions options, double alpha, int examples) {
  double mean = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SimulatedOptions simulated;
    simulated.alpha = alpha;
    simulated.dimension = 500;
    simulated.seed = seed;
    SimulatedSet set(simulated);
    options.dimension = 500;
    auto learner = make_learner(options).value();
    Random random(seed);
    Plan plan;
    std::vector<double> x(500);
    std::vector<double> values;
    for (int t = 0; t < examples; ++t) {
      const double label = set.next(x);
      learner->plan(random, plan);
      values.clear();
      for (const Attribute i : plan.attributes) values.push_back(x[i]);
      learner->learn(plan, values, label, 1);
    }
    Model model;
    learner->model(model);
    double loss = 0;
    double zero = 0;
    for (int t = 0; t < 2000; ++t) {
      const double label = set.next(x);
      double error = model.bias - label;
      for (std::size_t i = 0; i < 500; ++i) error += model.weights[i] * x[i];
      loss += error * error;
      zero += label * label;
    }
    mean += loss / zero / 3;
  }
  return mean;
}

}  // namespace

// ρ = .05: a few attributes carry nearly everything, and finding them is what the second phase is for.
TEST_CASE("where moments differ much, two phases learn clearly faster than uniform draws") {
  LearnerOptions options;
  options.budget = 5;
  options.bias = false;
  options.draws = Draws::kSeparate;  // the papers' algorithms
  options.control_variates = false;
  options.algorithm = "aerr";
  const double uniform = simulated_loss(options, -2, 4000);
  options.algorithm = "two-phase-ddaerr";
  const double two_phase = simulated_loss(options, -2, 4000);
  fmt::print("simulated, alpha = -2, 4000 examples: aerr {:.4f}, two-phase-ddaerr {:.4f}\n", uniform,
             two_phase);
  CHECK(two_phase < 0.9 * uniform);
}

}  // namespace simulated_accuracy_test
