// Learns 3·x0 − 2·x3 + 1 from 3 of the 20 attributes of each example, and predicts. Prints the prediction for
// an example of ones, which is 2, and how many attributes were looked at.

#include <cstdio>
#include <vector>

#include "base/random.h"
#include "learn/factory.h"

int main() {
  glimpse::LearnerOptions options;
  options.algorithm = "pairwise";
  options.dimension = 20;
  options.budget = 3;
  const auto made = glimpse::make_learner(options);
  if (!made) {
    std::fprintf(stderr, "%s\n", made.error().message.c_str());
    return 1;
  }
  glimpse::Learner& learner = **made;

  glimpse::Random random(1);
  glimpse::Plan plan;
  std::vector<double> values;
  for (int example = 0; example < 5000; ++example) {
    // The example need not be there whole: the plan says which attributes to get.
    std::vector<double> x(options.dimension);
    for (double& value : x) value = random.uniform();
    learner.plan(random, plan);
    values.clear();
    for (const glimpse::Attribute attribute : plan.attributes) values.push_back(x[attribute]);
    learner.learn(plan, values, 3 * x[0] - 2 * x[3] + 1, 1.0);
  }

  glimpse::Model model;
  learner.model(model);
  double prediction = model.bias;
  for (const double weight : model.weights) prediction += weight;
  std::printf("%.3f %llu\n", prediction,
              static_cast<unsigned long long>(learner.counts().attributes_revealed));
}
