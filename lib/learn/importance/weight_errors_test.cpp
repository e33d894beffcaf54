#include "learn/importance/weight_errors.h"

#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "learn/core/solving.h"
#include "learn/factory.h"
#include "learn/learner_test_support.h"
#include "learn/solver/pairwise_solver.h"
#include "stats/pair_moments.h"
#include "stats/pair_snapshot.h"

namespace weight_errors_test {

using namespace glimpse;

namespace {

enum class Kind { kIndependent, kChain, kRare };

// Attributes of spreads (i + 1)^a, in random order of signs; the label is ⟨±1, x⟩ plus noise.
struct Simulated {
  Simulated(Kind kind, std::size_t d, double a, std::uint64_t seed)
      : kind(kind), spread(d), weights(d), x(d), random(seed) {
    double squares = 0;
    for (std::size_t i = 0; i < d; ++i) {
      spread[i] = std::pow(static_cast<double>(i) + 1, a);
      squares += spread[i] * spread[i];
      weights[i] = random.uniform() < 0.5 ? 1 : -1;
    }
    for (double& u : spread) u /= std::sqrt(squares);
  }
  double normal() {
    return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(2 * std::numbers::pi * random.uniform());
  }
  void next() {
    label = (kind == Kind::kRare ? 0.5 : 1) * normal();
    double chain = normal();
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (kind == Kind::kRare) {
        x[i] = random.uniform() < spread[i] ? 1 : 0;
      } else {
        if (i > 0) chain = kind == Kind::kChain ? 0.6 * chain + 0.8 * normal() : normal();
        x[i] = spread[i] * chain;
      }
      label += weights[i] * x[i];
    }
  }

  Kind kind;
  std::vector<double> spread;
  std::vector<double> weights;
  std::vector<double> x;
  double label = 0;
  Random random;
};

// How often each pair was looked at together.
class PairCounts {
 public:
  PairCounts(std::size_t d, int least) : d_(d), least_(least), counts_(d * d), lacking_(d * (d - 1) / 2) {}
  void add(std::span<const Attribute> seen) {
    for (const Attribute i : seen)
      for (const Attribute j : seen)
        if (i < j && ++counts_[i * d_ + j] == least_) --lacking_;
  }
  bool is_enough() const { return lacking_ == 0; }

 private:
  std::size_t d_;
  int least_;
  std::vector<int> counts_;
  std::size_t lacking_;
};

struct Told {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const std::vector<double>> errors;
};

Told tell(Learner& learner) {
  learner.solving()->wish({.weight_errors = true});
  Told told;
  told.model = learner.shared_model();
  told.errors = learner.weight_errors();
  return told;
}

std::unique_ptr<Learner> learner_for(const std::string& algorithm, std::size_t d) {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = d;
  options.budget = 5;
  return make_learner(options).value();
}

struct Coverage {
  double share = 0;    // of the intervals that hold the weight
  double unknown = 0;  // of the streams of which nothing was known
};

// At the count at which each pair was seen 30 times.
Coverage coverage(const std::string& algorithm, Kind kind, std::size_t d, double a, std::uint64_t streams) {
  std::size_t held = 0;
  std::size_t unknown = 0;
  std::size_t all = 0;
  for (std::uint64_t s = 1; s <= streams; ++s) {
    Simulated stream(kind, d, a, 100 + s);
    auto learner = learner_for(algorithm, d);
    Random random(s);
    Plan plan;
    PairCounts counts(d, 30);
    while (!counts.is_enough()) {
      stream.next();
      learner->plan(random, plan);
      REQUIRE(learner->learn(plan, test::reveal(plan, stream.x), stream.label, 1) == Outcome::kLearned);
      counts.add(plan.attributes);
    }
    const Told told = tell(*learner);
    if (told.errors == nullptr) {
      ++unknown;
      continue;
    }
    for (std::size_t i = 0; i < d; ++i) {
      REQUIRE((*told.errors)[i] > 0);
      held += std::abs(told.model->weights[i] - stream.weights[i]) <= kIntervalErrors * (*told.errors)[i];
      ++all;
    }
  }
  const Coverage result{static_cast<double>(held) / static_cast<double>(all),
                        static_cast<double>(unknown) / static_cast<double>(streams)};
  MESSAGE(algorithm, ", d = ", d, ", spread ", a, ", kind ", static_cast<int>(kind), ": ", result.share,
          " of ", all, ", nothing known in ", result.unknown, " of the streams");
  return result;
}

void check(const Coverage& result) {
  CHECK(result.share >= 0.84);
  CHECK(result.share <= 0.97);
  CHECK(result.unknown <= 0.1);
}

constexpr std::array kSpreads{0.0, -0.5, -1.0};

}  // namespace

TEST_CASE("intervals hold the weights of infinitely many examples nine times in ten: 20 attributes" *
          doctest::test_suite("repeats")) {
  for (const Kind kind : {Kind::kIndependent, Kind::kChain, Kind::kRare}) {
    for (const double a : kSpreads) {
      check(coverage("pairwise", kind, 20, a, 40));
    }
  }
}

TEST_CASE("the same of screened attributes") {
  for (const double a : kSpreads) {
    check(coverage("pairwise-screened", Kind::kIndependent, 20, a, 20));
  }
}

TEST_CASE("the same with 200 attributes" * doctest::test_suite("repeats")) {
  for (const double a : kSpreads) {
    check(coverage("pairwise", Kind::kIndependent, 200, a, 2));
  }
}

TEST_CASE("weights have errors once somebody wished for them, and the same ones each time") {
  Simulated stream(Kind::kIndependent, 8, 0, 1);
  auto learner = learner_for("pairwise", 8);
  Random random(2);
  Plan plan;
  for (int t = 0; t < 500; ++t) {
    stream.next();
    learner->plan(random, plan);
    learner->learn(plan, test::reveal(plan, stream.x), stream.label, 1);
  }
  const Model before = *learner->shared_model();
  CHECK(learner->weight_errors() == nullptr);
  const Told one = tell(*learner);
  const Told other = tell(*learner);
  REQUIRE(one.errors != nullptr);
  REQUIRE(other.errors != nullptr);
  CHECK(*one.errors == *other.errors);
  CHECK(one.model->weights == before.weights);
}

TEST_CASE("of noise alone no error is known") {
  auto learner = learner_for("pairwise", 6);
  Random random(3);
  Plan plan;
  for (int t = 0; t < 40; ++t) {
    learner->plan(random, plan);
    std::vector<double> x(6);
    for (double& value : x) value = random.uniform();
    learner->learn(plan, test::reveal(plan, x), random.uniform(), 1);
  }
  CHECK(tell(*learner).errors == nullptr);
}

TEST_CASE("of an attribute never seen no error is known, and units change errors as they change weights") {
  const auto errors_of = [](double unit) {
    PairMoments moments(3);
    Random random(4);
    for (int e = 0; e < 500; ++e) {
      const double x = random.uniform();
      const double z = random.uniform();
      moments.add(std::vector<Attribute>{0, 1}, std::vector<double>{unit * x, unit * z}, x + z / 2, 1);
    }
    PairSnapshot snapshot;
    snapshot.take(moments, true);
    PairwiseSolver solver;
    Model model;
    solver.solve(snapshot, std::nullopt, model);
    return solver.weight_errors(snapshot);
  };
  const std::vector<double> one = errors_of(1);
  const std::vector<double> other = errors_of(1024);
  REQUIRE(one.size() == 3);
  CHECK(one[0] > 0);
  CHECK(std::isnan(one[2]));
  for (const int i : {0, 1}) CHECK(other[i] * 1024 == doctest::Approx(one[i]).epsilon(1e-5));
}

}  // namespace weight_errors_test
