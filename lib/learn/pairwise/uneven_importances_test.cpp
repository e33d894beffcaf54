// Importances that differ by orders of magnitude: the model is not above the mean's, and little is lost where
// they are nearly equal.

#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "base/random.h"
#include "learn/factory.h"

namespace uneven_importances_test {

using namespace glimpse;

namespace {

constexpr std::size_t kDimension = 10;

double normal(Random& random) {
  double sum = -6;
  for (int k = 0; k < 12; ++k) sum += random.uniform();
  return sum;
}

struct Row {
  std::vector<double> x;
  double label;
};

Row row(Random& random) {
  Row r;
  for (std::size_t i = 0; i < kDimension; ++i) r.x.push_back(normal(random));
  r.label = r.x[0] + r.x[1] + normal(random);
  return r;
}

// The loss of the model on later rows over that of the mean, 0.
double relative_loss(const std::string& algorithm, int examples, std::uint64_t seed, auto importance) {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = kDimension;
  options.budget = 3;
  options.seed = seed;
  const auto learner = make_learner(options).value();
  Random random(seed);
  Plan plan;
  std::vector<double> values;
  for (int t = 0; t < examples; ++t) {
    const Row r = row(random);
    learner->plan(random, plan);
    values.clear();
    for (const Attribute a : plan.attributes) values.push_back(r.x[a]);
    learner->learn(plan, values, r.label, importance(random));
  }
  double loss = 0;
  double mean_loss = 0;
  for (int t = 0; t < 1000; ++t) {
    const Row r = row(random);
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < kDimension; ++i) entries.push_back({static_cast<Attribute>(i), r.x[i]});
    const double error = learner->predict(entries) - r.label;
    loss += error * error;
    mean_loss += r.label * r.label;
  }
  return loss / mean_loss;
}

}  // namespace

TEST_CASE("importances that spread over orders of magnitude do no harm, at any size") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    for (const double spread : {0.5, 1.0, 2.0}) {
      for (const double size : {1e-3, 1.0, 1e6}) {
        double sum = 0;
        for (std::uint64_t seed = 1; seed <= 4; ++seed)
          sum += relative_loss(algorithm, 1000, seed,
                               [&](Random& random) { return size * std::exp(spread * normal(random)); });
        CAPTURE(algorithm);
        CAPTURE(spread);
        CAPTURE(size);
        CHECK(sum / 4 < 1.02);
      }
    }
  }
}

TEST_CASE("a few that count a thousand times are learned from") {
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    sum += relative_loss("pairwise", 3000, seed,
                         [](Random& random) { return random.uniform() < 0.05 ? 1000.0 : 1.0; });
  CHECK(sum / 4 < 0.6);
}

}  // namespace uneven_importances_test
