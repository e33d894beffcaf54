#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

#include "learn/costs_test_support.h"
#include "learn/factory.h"
#include "learn/options/budget_limit.h"

namespace gradient_costs_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr const char* kChecked[] = {"aerr", "ddaerr", "two-phase-ddaerr",
                                    "aelr", "ddaelr", "two-phase-ddaelr"};

LearnerOptions gradient_options(const std::string& algorithm, std::size_t dimension, std::size_t budget) {
  LearnerOptions options = options_of(algorithm, dimension, budget);
  options.bias = true;
  options.draws.reset();
  options.control_variates.reset();
  options.step = StepKind::kAuto;
  options.phase1_examples = 100;
  if (has_l1_ball(algorithm)) options.radius = 3;
  return options;
}

std::unique_ptr<Learner> make(const LearnerOptions& options) {
  std::vector<double> second(options.dimension);
  for (std::size_t i = 0; i < second.size(); ++i) second[i] = 1 / static_cast<double>((i + 1) * (i + 1));
  const SecondMoments known = known_moments(second);
  return make_learner(options, wants_moments(options.algorithm) ? &known : nullptr).value();
}

// The mean of 300,000 estimates of the gradient from plans as `draw` makes them against that of an example of
// which only the attributes of `there` differ from their centres; in standard errors, the largest over the
// coordinates and the bias.
template <class DrawPlan>
double largest_deviation(const Learner& learner, const std::vector<double>& x, double y,
                         const std::vector<bool>& there, const DrawPlan& draw) {
  constexpr int kPlans = test::draws_for_means(300000);
  const std::size_t d = x.size();
  const std::vector<double> w = iterate(learner);
  std::vector<double> centred(d);
  const bool centre = uses_control_variates(learner.options());
  for (std::size_t i = 0; i < d; ++i)
    if (there[i])
      centred[i] = x[i] - (centre ? learner.sampling_row(static_cast<Attribute>(i)).moment.mean : 0);
  Plan plan;
  draw(plan);
  const double rest = plan.offset - y;
  double residual = rest;
  for (std::size_t i = 0; i < d; ++i) residual += w[i] * centred[i];
  std::vector<double> sum(d + 1);
  std::vector<double> squares(d + 1);
  std::vector<double> gradient(d + 1);
  const bool pairs = draws_of(learner.options()) == Draws::kPairs;
  for (int n = 0; n < kPlans; ++n) {
    draw(plan);
    double phi = rest;
    for (const Draw& part : plan.inner_product)
      phi += part.coefficient * centred[plan.attributes[part.position]];
    std::fill(gradient.begin(), gradient.end(), 0.0);
    const auto k = static_cast<double>(plan.data_point.size());
    for (std::size_t b = 0; b < plan.data_point.size(); ++b) {
      const Draw& part = plan.data_point[b];
      const Attribute i = plan.attributes[part.position];
      double others = phi;
      if (pairs && !plan.inner_product.empty()) {
        const double own = plan.inner_product[b].coefficient * centred[i];
        others = rest + (phi - rest - own) * k / (k - 1);
      }
      gradient[i] += others * part.coefficient * centred[i];
    }
    gradient[d] = phi;
    for (std::size_t i = 0; i <= d; ++i) {
      sum[i] += gradient[i];
      squares[i] += gradient[i] * gradient[i];
    }
  }
  double largest = 0;
  for (std::size_t i = 0; i <= d; ++i) {
    const double mean = sum[i] / kPlans;
    const double truth = residual * (i < d ? centred[i] : 1);
    const double error = std::sqrt(std::max(squares[i] / kPlans - mean * mean, 0.0) / kPlans);
    if (i < d && !there[i]) {
      REQUIRE(sum[i] == 0);
    } else {
      REQUIRE(error > 0);
      largest = std::max(largest, std::abs(mean - truth) / error);
    }
  }
  return largest;
}

}  // namespace

TEST_CASE(
    "no plan of a gradient learner costs more than the limit, whatever prices, groups and availability") {
  Random random(7);
  Plan plan;
  int plans = 0;
  int priced_out = 0;
  for (std::size_t round = 0; plans < 100000; ++round) {
    const std::size_t d = 2 + random.below(40);
    LearnerOptions options = gradient_options(kChecked[round % 6], d, 2 + random.below(d - 1));
    if (random.below(4) == 0) options.split = Split::kPaper;
    options.prices = random_prices(d, random);
    if (!set_random_limit(options, random)) continue;
    auto learner = make(options);
    Source source(d, round);
    for (int t = 0; t < 200; ++t, ++plans) {
      if (t % 3 == 2) {
        const auto available = random_available(d, random);
        const Status status = learner->plan_among(random, available, plan);
        if (!status) {
          ++priced_out;
          REQUIRE(status.error().code == ErrorCode::kUnavailable);
          for (const Attribute i : available) REQUIRE(2 * options.prices->alone(i) > *options.budget_cost);
          continue;
        }
        REQUIRE(std::includes(available.begin(), available.end(), plan.attributes.begin(),
                              plan.attributes.end()));
      } else {
        learner->plan(random, plan);
      }
      REQUIRE(!plan.data_point.empty());
      REQUIRE(plan.attributes.size() <= options.budget);
      REQUIRE(cost_of(*options.prices, plan) <= *options.budget_cost);
      const std::vector<double>& x = source.next();
      REQUIRE(learner->learn(plan, reveal(plan, x), source.label(), 1) == Outcome::kLearned);
    }
  }
  CHECK(priced_out > 0);
}

// 4.5 standard errors for 36 runs of 10 numbers, fixed seeds.
TEST_CASE("gradient estimates are unbiased under a limit and among available attributes" *
          doctest::test_suite("repeats")) {
  constexpr std::size_t kDimension = 9;
  std::vector<double> x(kDimension);
  for (std::size_t i = 0; i < kDimension; ++i)
    x[i] = 1.3 + 0.15 * static_cast<double>(i) * (i % 2 == 0 ? 1 : -1);
  const std::vector<Attribute> available{0, 2, 3, 7};
  struct Case {
    std::size_t budget;
    Money limit;  // 0: none
    bool among;
    Form form;
  };
  // A few draws, many draws in turn, and two where what is free and what is paid for share one.
  const Case cases[] = {{6, 16, false, kForms[0]}, {9, 90, false, kForms[2]}, {2, 16, false, kForms[2]},
                        {6, 16, true, kForms[2]},  {9, 90, true, kForms[0]},  {5, 0, true, kForms[3]},
                        {5, 0, true, kForms[1]},   {5, 0, true, kForms[0]}};
  Prices prices(kDimension);
  const std::uint32_t group = prices.add_group(2);
  const Money own[] = {3, 1, 8, 0, 2, 5, 9, 4, 1};  // 6 is beyond a limit of 16
  for (Attribute i = 0; i < kDimension; ++i)
    prices.set(i, own[i], i == 4 || i == 7 ? group : Prices::kNoGroup);
  std::uint64_t seed = 300;
  for (const char* algorithm : kChecked) {
    for (const Case& c : cases) {
      LearnerOptions options = gradient_options(algorithm, kDimension, c.budget);
      if (c.limit == 0) options.draws = c.form.draws;
      options.control_variates = c.form.control_variates;
      std::vector<bool> there(kDimension, !c.among);
      for (const Attribute i : available) there[i] = true;
      if (c.limit > 0) {
        options.prices = std::make_shared<const Prices>(prices);
        options.budget_cost = c.limit;
        for (const Attribute i : beyond_budget(options)) there[i] = false;
      }
      auto learner = make(options);
      Random random(++seed);
      Source source(kDimension, seed);
      Plan plan;
      for (int t = 0; t < 300; ++t) {
        std::vector<double> shifted = source.next();
        for (double& value : shifted) value += 1;
        learner->plan(random, plan);
        REQUIRE(learner->learn(plan, reveal(plan, shifted), source.label(), 1) == Outcome::kLearned);
      }
      CAPTURE(algorithm);
      CAPTURE(c.limit);
      CAPTURE(c.among);
      CAPTURE(c.budget);
      const double deviation = largest_deviation(*learner, x, 0.7, there, [&](Plan& drawn) {
        if (c.among) {
          REQUIRE(learner->plan_among(random, available, drawn).has_value());
        } else {
          learner->plan(random, drawn);
        }
      });
      CHECK(deviation < 4.5);
    }
  }
}

TEST_CASE("online learners reveal what is available, and learn as though the rest were at its mean") {
  LearnerOptions options = options_of("online-ridge", 4, 4);
  options.bias = true;
  auto among = make_learner(options).value();
  auto whole = make_learner(options).value();
  Random random(1);
  Plan plan;
  for (int t = 0; t < 20; ++t) {
    REQUIRE(among->plan_among(random, std::vector<Attribute>{1, 3}, plan).has_value());
    REQUIRE(plan.attributes == std::vector<Attribute>{1, 3});
    among->learn(plan, std::vector<double>{0.5, -0.25}, 1, 1);
    whole->plan(random, plan);
    whole->learn(plan, std::vector<double>{0, 0.5, 0, -0.25}, 1, 1);
  }
  CHECK(iterate(*among) == iterate(*whole));
}

TEST_CASE("learners that draw from all attributes say that they cannot plan among some") {
  for (const char* algorithm : {"aer", "baseline"}) {
    LearnerOptions options = options_of(algorithm, 6, 4);
    options.radius = 1;
    auto learner = make_learner(options).value();
    Random random(1);
    Plan plan;
    const Status status = learner->plan_among(random, std::vector<Attribute>{1, 2}, plan);
    REQUIRE(!status);
    CHECK(status.error().code == ErrorCode::kUnavailable);
  }
}

TEST_CASE(
    "gradient learners under a limit are restored to the same bits; with other prices they plan again") {
  for (const char* algorithm : {"aerr", "two-phase-ddaerr", "two-phase-ddaelr"}) {
    for (const int middle : {40, 700}) {
      LearnerOptions options = gradient_options(algorithm, 20, 6);
      Random price_random(9);
      options.prices = random_prices(20, price_random);
      while (!set_random_limit(options, price_random)) {
      }
      auto whole = make(options);
      Random random(5);
      Source source(20, 6);
      learn_from(*whole, random, source, middle);
      auto resumed = make(options);
      REQUIRE(resumed->restore(saved(*whole)).has_value());
      LearnerOptions dearer = options;
      dearer.prices = random_prices(20, price_random);
      while (!set_random_limit(dearer, price_random)) {
      }
      auto other = make(dearer);
      REQUIRE(other->restore(saved(*whole)).has_value());
      Random copy = Random::from_state(random.state());
      Source source_copy = source;
      learn_from(*whole, random, source, 900);
      learn_from(*resumed, copy, source_copy, 900);
      const State a = saved(*whole);
      const State b = saved(*resumed);
      REQUIRE(a.tensors().size() == b.tensors().size());
      for (const Tensor& tensor : a.tensors()) CHECK(b.find(tensor.name)->bytes == tensor.bytes);
      Plan plan;
      for (int n = 0; n < 500; ++n) {
        other->plan(random, plan);
        REQUIRE(cost_of(*dearer.prices, plan) <= *dearer.budget_cost);
        const std::vector<double>& x = source.next();
        REQUIRE(other->learn(plan, reveal(plan, x), source.label(), 1) == Outcome::kLearned);
      }
    }
  }
}

TEST_CASE("a limit that comes or goes is a mismatch for gradient learners, and is named") {
  LearnerOptions options = gradient_options("aerr", 4, 2);
  auto plain = make(options);
  options.prices = std::make_shared<const Prices>(4);
  options.budget_cost = 10 * kMoneyUnit;
  auto limited = make(options);
  const State of_plain = saved(*plain);
  const State of_limited = saved(*limited);
  CHECK(plain->restore(of_limited).error().message ==
        "the checkpoint was made with budget-cost=on, but this start does not ask for it");
  CHECK(limited->restore(of_plain).error().message ==
        "the checkpoint was made with another version's or the default options, but this start asks for "
        "budget-cost=on");
}

// Not bit for bit: the numbers are drawn in another order.
TEST_CASE("prices all alike and money for K of them: a gradient learner learns as it does without prices" *
          doctest::test_suite("repeats")) {
  for (const char* algorithm : {"two-phase-ddaerr", "two-phase-ddaelr"}) {
    constexpr int kSeeds = 40;
    double means[2] = {};
    double squares[2] = {};
    for (const bool limit : {false, true}) {
      for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        LearnerOptions options = gradient_options(algorithm, 20, 6);
        options.draws = Draws::kSeparate;
        if (limit) {
          options.prices = std::make_shared<const Prices>(20);
          options.budget_cost = 6 * kMoneyUnit;
        }
        auto learner = make(options);
        Random random(seed);
        Source source(20, seed);
        learn_from(*learner, random, source, 5000);
        double loss = 0;
        for (int t = 0; t < 1000; ++t) {
          const std::vector<double>& x = source.next();
          std::vector<Entry> entries;
          for (Attribute i = 0; i < 20; ++i) entries.push_back({i, x[i]});
          loss += std::pow(learner->predict(entries) - source.label(), 2) / 1000;
        }
        means[limit ? 1 : 0] += loss / kSeeds;
        squares[limit ? 1 : 0] += loss * loss / kSeeds;
      }
    }
    CAPTURE(algorithm);
    double variance = 0;  // of the difference of the means
    for (const std::size_t which : {0U, 1U})
      variance += (squares[which] - means[which] * means[which]) / (kSeeds - 1);
    CHECK(std::abs(means[1] - means[0]) < 3 * std::sqrt(variance));
    CHECK(std::sqrt(variance) < 0.1 * means[0]);
  }
}

}  // namespace gradient_costs_test
