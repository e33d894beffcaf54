#include <algorithm>
#include <doctest/doctest.h>
#include <memory>
#include <vector>

#include "base/random.h"
#include "learn/classes/class_scores.h"
#include "learn/core/class_model.h"
#include "learn/factory.h"
#include "learn/learner_test_support.h"

// Classes that come late, or one after another: a judge made before knows nothing of them.
namespace glimpse::classes_in_order_test {
namespace {

constexpr std::size_t kDim = 6;
constexpr std::size_t kClasses = 6;

// Class c is about the corner of a cube that its three bits name, with two attributes for each.
std::vector<double> drawn(std::size_t c, Random& random) {
  std::vector<double> x(kDim);
  for (std::size_t i = 0; i < kDim; ++i) {
    const double noise = random.uniform() + random.uniform() + random.uniform() - 1.5;
    x[i] = 2 * noise + ((c >> (i % 3) & 1) != 0 ? 4 : 0);
  }
  return x;
}

// The share of wrong answers after examples of these classes.
double wrong_after(const char* algorithm, const std::vector<std::size_t>& classes, std::uint64_t seed) {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = kDim;
  options.budget = 3;
  const auto learner = make_learner(options).value();
  learner->make_classifier();
  // Codes in the order in which classes come.
  std::vector<std::size_t> order;
  Random random(seed);
  Random source(seed + 100);
  Plan plan;
  for (const std::size_t c : classes) {
    const auto known = std::ranges::find(order, c);
    const auto code = static_cast<double>(known - order.begin());
    if (known == order.end()) order.push_back(c);
    learner->plan(random, plan);
    learner->learn(plan, test::reveal(plan, drawn(c, source)), code, 1);
  }
  int wrong = 0;
  constexpr int kTests = 600;
  std::vector<double> scores(order.size());
  const auto model = learner->class_model();
  for (int n = 0; n < kTests; ++n) {
    const std::size_t c = order[static_cast<std::size_t>(n) % order.size()];
    const std::vector<double> x = drawn(c, source);
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < kDim; ++i) entries.push_back({static_cast<Attribute>(i), x[i]});
    learner->class_scores(model.get(), entries, scores);
    wrong += order[greatest(scores)] != c ? 1 : 0;
  }
  return wrong / static_cast<double>(kTests);
}

constexpr const char* kBoth[] = {"pairwise", "pairwise-screened"};

TEST_CASE("classes that come one after another are told apart as well as mixed ones") {
  for (const char* algorithm : kBoth)
    for (const std::size_t examples : {600UL, 6'000UL, 10'000UL, 15'000UL})
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        std::vector<std::size_t> sorted;
        for (std::size_t n = 0; n < examples; ++n) sorted.push_back(n * kClasses / examples);
        CAPTURE(algorithm);
        CAPTURE(examples);
        CAPTURE(seed);
        CHECK(wrong_after(algorithm, sorted, seed) < .1);
      }
}

TEST_CASE("half of the examples are of classes that came late, whenever that is") {
  for (const char* algorithm : kBoth)
    for (const std::size_t late : {1'000UL, 4'000UL, 8'000UL, 9'000UL, 12'000UL})
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        Random random(seed);
        std::vector<std::size_t> mixed;
        for (std::size_t n = 0; n < 2 * late; ++n)
          mixed.push_back(random.below(3) + (n >= late && random.below(2) == 1 ? 3 : 0));
        CAPTURE(algorithm);
        CAPTURE(late);
        CAPTURE(seed);
        CHECK(wrong_after(algorithm, mixed, seed) < .1);
      }
}

}  // namespace
}  // namespace glimpse::classes_in_order_test
