#include "learn/inference/explanation.h"

#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <vector>

#include "learn/factory.h"
#include "learn/inference/incomplete_example.h"
#include "learn/turning_stream_test_support.h"

namespace explanation_test {

using namespace glimpse;

namespace {

// Two attributes of the means 1 and −2, the weights 3 and 0.5, the variance 1, and the covariance ½.
std::shared_ptr<const Solution> two_attributes() {
  auto solution = std::make_shared<Solution>();
  solution->model.weights = {3, 0.5};
  solution->model.bias = 10;
  TargetMoments& moments = solution->moments;
  moments.means = {1, -2};
  moments.variances = {1, 1};
  moments.ridge = {0, 0};
  moments.shrinkage = {1, 1};
  moments.target = {3.25, 2};
  moments.total = 3 * 3.25 + 0.5 * 2;
  moments.expected = 2;
  return solution;
}

double sum_of(const Explanation& e) {
  double sum = e.at_means + e.rest + e.unknown;
  for (const Explanation::Part& part : e.parts) sum += part.amount;
  return sum;
}

}  // namespace

TEST_CASE("what is known adds its weight times its distance from the mean, the largest first") {
  const auto solution = two_attributes();
  const std::vector<Entry> known{{0, 1.5}, {1, 4}};
  PartialPrediction prediction(solution, {0, 1});
  for (const Entry& entry : known) prediction.add_known(entry.attribute, entry.value, {});
  const Explanation all = explain(*solution, known, prediction, 5);
  CHECK(all.prediction == 16.5);
  CHECK(all.at_means == 12);
  REQUIRE(all.parts.size() == 2);
  CHECK(all.parts[0].slot == 1);
  CHECK(all.parts[0].value == 4);
  CHECK(all.parts[0].amount == 3);
  CHECK(all.parts[1].amount == 1.5);
  CHECK(all.rest == 0);
  CHECK(all.unknown == 0);
  CHECK(all.unknown_variance == 0);
  const Explanation one = explain(*solution, known, prediction, 1);
  CHECK(one.parts.size() == 1);
  CHECK(one.rest == 1.5);
}

TEST_CASE("what is not known adds what the known values tell of it, and its part in the variance") {
  const auto solution = two_attributes();
  const std::vector<Entry> known{{1, 4}};
  PartialPrediction prediction(solution, {0, 1});
  prediction.add_known(1, 4, std::vector<double>{0.5, 1});
  const Explanation e = explain(*solution, known, prediction, 5);
  CHECK(e.parts.size() == 1);
  CHECK(e.unknown == doctest::Approx(3 * 0.5 * 6));
  CHECK(e.unknown_variance == doctest::Approx(9 * 0.75));
  CHECK(sum_of(e) == doctest::Approx(prediction.prediction()));
}

TEST_CASE("an attribute at its mean is no part") {
  const auto solution = two_attributes();
  const std::vector<Entry> known{{0, 1}, {1, -2}};
  PartialPrediction prediction(solution, {0, 1});
  for (const Entry& entry : known) prediction.add_known(entry.attribute, entry.value, {});
  CHECK(explain(*solution, known, prediction, 5).parts.empty());
}

TEST_CASE("the parts add up to the learner's prediction, to rounding, whatever is missing") {
  for (const char* algorithm : {"pairwise", "pairwise-screened", "aerr", "online-ridge"}) {
    CAPTURE(algorithm);
    LearnerOptions options;
    options.algorithm = algorithm;
    options.dimension = test::kDimension;
    options.budget = 5;
    auto learner = make_learner(options).value();
    Random random(1);
    test::TurningStream stream(2);
    test::learn(*learner, random, stream, 1, 2000);
    IncompleteExamples incomplete;
    for (int missing = 0; missing <= 20; missing += 5) {
      const std::vector<double> x = stream.next(1);
      std::vector<Entry> entries;
      for (std::size_t i = 0; i < x.size(); ++i)
        entries.push_back(
            {static_cast<Attribute>(i), static_cast<int>(i) < missing ? std::nan("") : 3 * x[i]});
      const auto basis = prediction_basis(*learner);
      const double whole =
          missing == 0 ? learner->predict(entries) : incomplete.predict(*learner, entries, basis).prediction;
      for (const std::size_t top : {1U, 7U, 100U}) {
        const Explanation e = incomplete.explain(*learner, entries, basis, top);
        CHECK(sum_of(e) == doctest::Approx(whole).epsilon(1e-12));
        CHECK(e.parts.size() <= top);
        CHECK((e.unknown_variance == 0) == (missing == 0));
        CHECK(e.noise > 0);
      }
    }
  }
}

}  // namespace explanation_test
